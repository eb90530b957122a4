/**
 * The data of the log's events by their type, as docs/http.md has it. Readers go by it, so it only grows. Events that a customer's own
 * agent writes may have further members; an event over `EVENT_BYTES_MAX` has only the beginnings of its texts.
 */
import { Schema } from "effect"
import { RunErrorCode } from "./Run.ts"
import type { RunEventType } from "./RunEvent.ts"

const text = (description: string) => Schema.String.annotateKey({ description })
const nullableText = (description: string) => Schema.NullOr(Schema.String).annotateKey({ description })
const maybeText = (description: string) => Schema.optionalKey(Schema.String).annotateKey({ description })
const maybeNumber = (description: string) => Schema.optionalKey(Schema.Finite).annotateKey({ description })
const maybeFlag = (description: string) => Schema.optionalKey(Schema.Boolean).annotateKey({ description })
const maybeTokens = (description: string) =>
  Schema.optionalKey(Schema.NullOr(Schema.Finite)).annotateKey({ description })

/** The members of an event whose data was too large. */
const cut = {
  truncated: maybeFlag("True where the data was larger than 64 KiB: the beginnings of its texts are left of it"),
  bytes: maybeNumber("The size of data that was cut")
}

const nothing = Schema.Struct({})

const words = Schema.Struct({
  text: text("The words"),
  request_id: maybeText("The model request that they come from, of a chat"),
  ...cut
})

const call = {
  name: text("The tool's name"),
  tool_call_id: maybeText("The call's id, of a chat")
}

export const RUN_EVENT_DATA = {
  "run.queued": nothing,
  "run.started": nothing,
  "run.retrying": Schema.Struct({ reason: text("`worker_lost` or `worker_stopping`: the run is queued again") }),
  "message.delta": words,
  "message.completed": words,
  "reasoning.delta": words,
  "reasoning.completed": words,
  "tool.started": Schema.Struct({
    ...call,
    arguments: maybeText("Up to 4,000 characters of JSON, of a chat"),
    ...cut
  }),
  "tool.completed": Schema.Struct({
    ...call,
    is_error: maybeFlag("Whether it failed, of a chat"),
    truncated: maybeFlag("Whether the model got a part of the result alone"),
    duration_ms: maybeNumber("How long the call took"),
    result: maybeText("Up to 4,000 characters, of a chat"),
    bytes: cut.bytes
  }),
  "llm.request": Schema.Struct({
    request_id: text("The request's id, as in the run's costs"),
    provider: text("The provider that was asked"),
    request_model: text("The model that was asked for"),
    response_model: Schema.optionalKey(Schema.NullOr(Schema.String)).annotateKey({
      description: "The model that the provider says answered"
    }),
    status: text("`ok`, `error` or `aborted`"),
    error_code: Schema.optionalKey(Schema.NullOr(Schema.String)).annotateKey({ description: "Why it failed" }),
    finish_reason: Schema.optionalKey(Schema.NullOr(Schema.String)).annotateKey({
      description:
        "Why the answer ended: `stop`, `length`, `tool_calls`, `content_filter` or `other`; null where no end of it was seen"
    }),
    key_source: maybeText("Whose key paid: `byok` or `platform`"),
    key_id: Schema.optionalKey(Schema.NullOr(Schema.String)).annotateKey({
      description: "The workspace's key that paid"
    }),
    started_at: maybeText("When it was sent"),
    duration_ms: maybeNumber("How long it took"),
    time_to_first_token_ms: maybeTokens("How long until the first token"),
    input_tokens: maybeTokens("Tokens read; null where the provider did not count"),
    cache_read_tokens: maybeTokens("Of these, read from a cache"),
    cache_write_tokens: maybeTokens("Of these, written to a cache"),
    output_tokens: maybeTokens("Tokens written, reasoning included"),
    reasoning_tokens: maybeTokens("Of these, reasoning"),
    usage_source: maybeText("Who counted: `provider`, or `estimated`"),
    cost_usd: Schema.optionalKey(Schema.NullOr(Schema.String)).annotateKey({
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
    message_id: text("The reply's id"),
    message: text("The reply; empty where it only says something to calls"),
    decision: Schema.optionalKey(Schema.NullOr(Schema.String)).annotateKey({ description: "Its decision" }),
    data: Schema.optionalKey(Schema.Json).annotateKey({ description: "Its data" }),
    tool_results: Schema.optionalKey(Schema.Array(Schema.JsonObject)).annotateKey({
      description: "The calls that it gives results of: `tool_call_id`, and `error` of one that failed"
    }),
    approvals: Schema.optionalKey(Schema.Array(Schema.JsonObject)).annotateKey({
      description: "The decisions about calls: `tool_call_id`, `decision`, `reason`"
    }),
    ...cut
  }),
  "cancel.requested": Schema.Struct({
    reason: nullableText("The reason that was given"),
    mode: text("`graceful` or `immediate`")
  }),
  log: Schema.Struct({
    message: maybeText("The words"),
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
