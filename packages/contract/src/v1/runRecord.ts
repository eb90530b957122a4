/** The record of a run as it crosses the wire. Spec: Run record. */
import { RunEventType } from "@agent-platform/runs"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { count, flag, formed, id, JsonOut, nullableObject, nullableText, text, time } from "./formats.ts"
import { parameters } from "./queries.ts"
import { runFields } from "./runSchemas.ts"
import { type SnakeCase, snakeCase, wire } from "./wire.ts"

/** The formats of a record, the default first. */
export const RECORD_FORMATS = ["application/json", "text/markdown", "text/html"] as const

/** The parameters of a record. */
export const recordParameters = parameters({
  include_cost: {
    schema: Schema.optionalKey(Schema.Literals(["true", "false"])),
    doc: {
      description:
        "Whether it says what the run has cost and used. With `false` nothing is in it that a price could be worked out from: no " +
        "tokens, models, providers or keys. Missing: true",
      schema: { type: "boolean", default: true }
    }
  }
})

const approval = wire(
  {
    questionRunId: id("The run that ended on the question"),
    question: nullableText("The question"),
    interrupt: nullableObject("The question's data"),
    askedAt: time("When it was asked"),
    status: Schema.Literals(["open", "answered", "cancelled"]).annotate({ description: "Its state" }),
    answer: Schema.NullOr(
      wire(
        {
          runId: id("The run that the answer set going"),
          message: nullableText("The answer"),
          reply: JsonOut.annotate({ description: "The decision and the data that came with it, if any" }),
          answeredAt: time("When it was answered")
        },
        { identifier: "ApprovalAnswer", description: "The answer to a question" }
      )
    )
  },
  { identifier: "Approval", description: "A question, and what became of it" }
)

const { costUsd, usage, ...lasting } = runFields

/** The members of a run that its record always has: what it is and what became of it, without the settings it ran with. */
export const RECORD_RUN_MEMBERS = Object.keys(lasting).map(snakeCase) as ReadonlyArray<SnakeCase<keyof typeof lasting>>

const recordRun = wire(
  { ...lasting, usage: Schema.optionalKey(usage), costUsd: Schema.optionalKey(costUsd) },
  { identifier: "RecordRun", description: "The run, with its cost and usage where these are included" }
)

const recordFields = {
  recordVersion: Schema.Literal(1).annotate({ description: "The version of this form" }),
  generatedAt: time("When the record was made"),
  run: recordRun,
  agent: wire(
    { agentId: id("The agent's id"), name: text("The agent's name") },
    { identifier: "RecordAgent", description: "The agent that ran" }
  ),
  timeline: Schema.Array(
    wire(
      {
        seq: count("The place in the run's log"),
        type: RunEventType.annotate({ description: "The event's type" }),
        createdAt: time("When it happened"),
        attempt: count("The attempt it belongs to"),
        data: Schema.Record(Schema.String, JsonOut).annotate({ description: "The event's data, by type" })
      },
      { identifier: "TimelineEntry", description: "Something that happened" }
    )
  ).annotate({
    description:
      "The run's log without `message.delta` and `reasoning.delta`, oldest first: up to 10,000 entries of 24 MiB together, the last one always among them"
  }),
  timelineTruncated: flag("Whether the log holds more than the timeline"),
  messages: Schema.Array(
    wire(
      {
        role: Schema.Literals(["user", "agent"]).annotate({ description: "Who said it" }),
        text: text("The text"),
        createdAt: time("When it was said"),
        isComplete: flag("False for what was still being said when the run ended")
      },
      { identifier: "RecordMessage", description: "Something that was said" }
    )
  ).annotate({
    description:
      "The messages, oldest first, within the same bounds as the timeline. An unfinished message has 256 KiB at most"
  }),
  messagesTruncated: flag("Whether more was said than the messages hold"),
  approvals: Schema.Array(approval).annotate({
    description: "The question that the run answered and the one that it ended on"
  })
}

/** The record of a run. */
export const RunRecordView = wire(
  {
    ...recordFields,
    usage: Schema.optionalKey(usage),
    costUsd: Schema.optionalKey(costUsd),
    redactions: Schema.Array(
      wire(
        {
          pointer: formed("pointer", "Where, as a JSON pointer"),
          kind: text(
            "The form of the secret. Detected are API keys of this service and of model providers, webhook " +
              "secrets, tokens, passwords in URLs and private keys; a secret without a recognizable form stays. " +
              "The agent's result was redacted earlier, and is not listed"
          ),
          count: count("How often, in this place")
        },
        { identifier: "Redaction", description: "A place where secrets were redacted" }
      )
    ).annotate({
      description:
        'Where secrets were redacted by their form. 10,000 places are listed; the others are summed up by kind, with the pointer `""`'
    }),
    integrity: wire(
      {
        algorithm: Schema.Literal("ed25519").annotate({ description: "How it is signed" }),
        sha256: formed("sha256", "The SHA-256, in hex, of the RFC 8785 form of the record without this member"),
        signature: Schema.String.annotate({ description: "The signature of that form", contentEncoding: "base64" }),
        keyId: text("Which of /.well-known/agent-platform-keys.json verifies it")
      },
      {
        identifier: "Integrity",
        description: "Signature that proves the record unaltered, over its RFC 8785 form without this member"
      }
    )
  },
  { identifier: "RunRecord", description: "A signed report of a finished run" }
)

/** The record to read and to print. */
export const RunRecordMarkdown = Schema.String.annotate({ description: "The same as Markdown" }).pipe(
  HttpApiSchema.asText({ contentType: "text/markdown" })
)
export const RunRecordHtml = Schema.String.annotate({ description: "The same as a page to print" }).pipe(
  HttpApiSchema.asText({ contentType: "text/html" })
)
