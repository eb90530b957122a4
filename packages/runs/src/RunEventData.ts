/**
 * The data of the log's events by their type, as docs/http.md shows it. Readers depend on these members, so there are only ever more of
 * them. Some events differ: a customer's own agent may write further members, callers who see no costs get none of the members about
 * costs, and an event over `EVENT_BYTES_MAX` has only the beginnings of its texts.
 */
import { EventTime, EventUsd } from "@agent-platform/kernel"
import { Schema } from "effect"
import { FinishReason, RunErrorCode } from "./Run.ts"
import type { RunEventType } from "./RunEvent.ts"

const text = (description: string) => Schema.String.annotateKey({ description })
const nullableText = (description: string) => Schema.NullOr(Schema.String).annotateKey({ description })
const maybeText = (description: string) => Schema.optionalKey(Schema.String).annotateKey({ description })
const maybeNumber = (description: string) => Schema.optionalKey(Schema.Finite).annotateKey({ description })
const maybeFlag = (description: string) => Schema.optionalKey(Schema.Boolean).annotateKey({ description })
const maybeCount = (description: string) => Schema.optionalKey(Schema.Int).annotateKey({ description })
const maybeNullableCount = (description: string) =>
  Schema.optionalKey(Schema.NullOr(Schema.Int)).annotateKey({ description })
const id = (description: string) => Schema.String.annotate({ format: "uuid" }).annotateKey({ description })

/** The members of an event whose data was too large. */
const cut = {
  truncated: maybeFlag("True where the data was larger than 64 KiB: the beginnings of its texts are left of it"),
  bytes: maybeCount("The size of data that was cut")
}

/** An object without a member yet. */
const nothing = Schema.JsonObject

const words = Schema.Struct({
  text: text("The words"),
  request_id: Schema.optionalKey(Schema.String.annotate({ format: "uuid" })).annotateKey({
    description: "The model request that they come from, of a chat"
  }),
  ...cut
})

const call = {
  name: text("The tool's name"),
  tool_call_id: maybeText("The call's id, of a chat")
}

export const RUN_EVENT_DATA = {
  "run.queued": nothing,
  "run.started": nothing,
  "run.retrying": Schema.Struct({
    reason: Schema.Literals(["worker_lost", "worker_stopping"]).annotateKey({
      description: "Why it is queued again: its worker is lost, or stops"
    })
  }),
  "message.delta": words,
  "message.completed": words,
  "reasoning.delta": words,
  "reasoning.completed": words,
  "tool.started": Schema.Struct({
    ...call,
    arguments: Schema.optionalKey(Schema.Json).annotateKey({
      description: "Of a chat a text: up to 4,000 characters of JSON"
    }),
    ...cut
  }),
  "tool.completed": Schema.Struct({
    ...call,
    is_error: maybeFlag("Whether it failed, of a chat"),
    truncated: maybeFlag("Whether the model got a part of the result alone"),
    duration_ms: maybeNumber("How long the call took, in milliseconds"),
    result: Schema.optionalKey(Schema.Json).annotateKey({ description: "Of a chat a text of up to 4,000 characters" }),
    bytes: cut.bytes
  }),
  "llm.request": Schema.Struct({
    request_id: id("The request's id, as in the run's costs"),
    provider: maybeText("The provider that was asked; not for a browser key, nor in a record without costs"),
    request_model: maybeText("The model that was asked for; left out as `provider` is"),
    response_model: Schema.optionalKey(Schema.NullOr(Schema.String)).annotateKey({
      description: "The model that the provider says answered"
    }),
    status: Schema.Literals(["ok", "error", "aborted"]).annotateKey({ description: "How it ended" }),
    error_code: Schema.optionalKey(Schema.NullOr(Schema.String)).annotateKey({ description: "Why it failed" }),
    finish_reason: Schema.optionalKey(Schema.NullOr(FinishReason)).annotateKey({
      description: "Why the answer ended; null where no end of it was seen"
    }),
    key_source: Schema.optionalKey(Schema.Literals(["byok", "platform"])).annotateKey({
      description: "Whose key paid: the workspace's own or the platform's"
    }),
    key_id: Schema.optionalKey(Schema.NullOr(Schema.String.annotate({ format: "uuid" }))).annotateKey({
      description: "The workspace's key that paid"
    }),
    started_at: Schema.optionalKey(EventTime).annotateKey({ description: "When it was sent" }),
    duration_ms: maybeCount("How long it took, in milliseconds"),
    time_to_first_token_ms: maybeNullableCount("How long until the first token, in milliseconds"),
    input_tokens: maybeNullableCount("Tokens read; null where the provider did not count"),
    cache_read_tokens: maybeNullableCount("Of these, read from a cache"),
    cache_write_tokens: maybeNullableCount("Of these, written to a cache"),
    output_tokens: maybeNullableCount("Tokens written, reasoning included"),
    reasoning_tokens: maybeNullableCount("Of these, reasoning"),
    usage_source: Schema.optionalKey(Schema.Literals(["provider", "estimated"])).annotateKey({
      description: "Who counted the tokens; estimated: nobody did"
    }),
    cost_usd: Schema.optionalKey(Schema.NullOr(EventUsd)).annotateKey({
      description: "The cost in USD; null where the price is not known"
    }),
    ...cut
  }),
  "interrupt.requested": Schema.Struct({
    message: text("The question"),
    tool_call_ids: Schema.optionalKey(Schema.Array(Schema.String)).annotateKey({
      description:
        "The ids under which the log has the calls that wait, in the order of the interrupt's `calls`, of a chat"
    }),
    ...cut
  }),
  "message.received": Schema.Struct({
    message_id: id("The reply's id"),
    message: text("The reply; empty where it only says something to calls"),
    decision: Schema.optionalKey(Schema.NullOr(Schema.String)).annotateKey({ description: "Its decision" }),
    data: Schema.optionalKey(Schema.Json).annotateKey({ description: "Its data" }),
    tool_results: Schema.optionalKey(
      Schema.Array(
        Schema.Struct({
          tool_call_id: text("The call, as in the question's `calls`"),
          error: maybeText("Why it failed; left out where it did not")
        })
      )
    ).annotateKey({ description: "The calls that it gives results of" }),
    approvals: Schema.optionalKey(
      Schema.Array(
        Schema.Struct({
          tool_call_id: text("The call, as in the question's `calls`"),
          decision: Schema.Literals(["approve", "deny"]).annotateKey({ description: "Whether it is made" }),
          reason: maybeText("Why; left out where none was given")
        })
      )
    ).annotateKey({ description: "The decisions about calls" }),
    ...cut
  }),
  "cancel.requested": Schema.Struct({
    reason: nullableText("The reason that was given"),
    mode: Schema.Literals(["graceful", "immediate"]).annotateKey({
      description: "Whether its agent may end by itself first"
    })
  }),
  log: Schema.Struct({
    message: maybeText("The words"),
    data: Schema.optionalKey(Schema.Json).annotateKey({ description: "More about it, of an agent" }),
    provider: maybeText("The model's provider, where the words are about it"),
    about_provider: maybeFlag("True where the words are about the model's provider. Who sees no costs sees neither"),
    ...cut
  }),
  "run.succeeded": nothing,
  "run.paused": Schema.Struct({
    message: text("The question"),
    interrupt: Schema.optionalKey(Schema.NullOr(Schema.JsonObject)).annotateKey({ description: "The question's data" }),
    interrupt_truncated: maybeFlag("Whether the interrupt was dropped because it was larger than 32 KiB"),
    ...cut
  }),
  "run.failed": Schema.Struct({
    error_code: Schema.NullOr(RunErrorCode).annotateKey({ description: "Why, for programs" }),
    error: nullableText("Why, for people")
  }),
  "run.cancelled": nothing
} as const satisfies Record<RunEventType, Schema.Constraint>
