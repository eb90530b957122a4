/** Runs and their logs as they cross the wire. Spec: Run. */
import {
  DURATION_SECONDS_DEFAULT,
  DURATION_SECONDS_MAX,
  FinishReason,
  INPUT_BYTES_MAX,
  RunErrorCode,
  RunEventType,
  RunStatus
} from "@agent-platform/runs"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { content } from "./contentSchemas.ts"
import {
  bounded,
  count,
  flag,
  id,
  integer,
  JsonOut,
  json,
  maybe,
  metadata,
  metadataOut,
  nullableId,
  nullableObject,
  nullableText,
  orElse,
  text,
  time,
  usd,
  usdAmount
} from "./formats.ts"
import { overridesIn } from "./modelSchemas.ts"
import { RunOverrides } from "./modelViews.ts"
import { WAIT_SECONDS_MAX } from "./queries.ts"
import { wire } from "./wire.ts"

/** Most tags of a run. */
export const TAGS_MAX = 10

/** The longest tag, in characters. */
export const TAG_LENGTH_MAX = 64

/** The longest message to an agent, in characters. */
export const MESSAGE_LENGTH_MAX = 100_000

/** The highest priority; its negative is the lowest. */
export const PRIORITY_MAX = 100

/** The longest time to live, in seconds: 30 days. */
export const TTL_SECONDS_MAX = 2_592_000

/** Most attempts of a run. */
export const ATTEMPTS_MAX = 20

/** The formats of a log, the default first. */
export const LOG_FORMATS = ["text/event-stream", "application/json", "application/x-ndjson"] as const

/** The forms of a log's stream beside its own. */
export const LogForm = Schema.Literals(["ui-message"])

/** Handling of a session that is busy. */
export const ifBusy = orElse(
  Schema.Literals(["enqueue", "reject", "interrupt"]).annotate({
    description:
      "Handling of unfinished runs of the session: wait behind them, answer 409, or cancel all of them and go next",
    default: "enqueue"
  }),
  "enqueue"
)

/** Tags of the caller's own. */
export const tags = Schema.Array(bounded("A tag", 1, TAG_LENGTH_MAX))
  .annotate({ description: "Up to 10 tags of the caller's own, shown with the run" })
  .check(Schema.isMaxLength(TAGS_MAX, { message: `must have at most ${TAGS_MAX} tags` }))

/** How long an answer is waited for. */
export const waitSeconds = orElse(
  integer("How long the answer may wait for the run to end", 0, WAIT_SECONDS_MAX).annotate({ default: 0 }),
  0
)

/** The body that triggers a run. */
export const NewRun = wire(
  {
    agentId: id("The agent that runs"),
    recipe: maybe(bounded("The recipe, one of the agent's. Missing: the agent's own", 1, 100)),
    sessionId: maybe(id("The session of an earlier run that the run joins. Missing: a new one")),
    input: Schema.optionalKey(
      json("The agent's input: any JSON of up to 256 KiB, nested up to 100 levels deep", INPUT_BYTES_MAX / 1_024)
    ),
    message: maybe(bounded("The message to the agent", 0, MESSAGE_LENGTH_MAX)),
    content: Schema.optionalKey(content),
    ...overridesIn,
    metadata: Schema.optionalKey(metadata),
    tags: Schema.optionalKey(tags),
    priority: orElse(
      integer(
        "Of the workspace's runs that are due, a higher priority goes first",
        -PRIORITY_MAX,
        PRIORITY_MAX
      ).annotate({
        default: 0
      }),
      0
    ),
    runAt: maybe(time("Not executed before this time")),
    ttlSeconds: maybe(
      integer("Fails as `expired` when it has not begun this long after it was due", 1, TTL_SECONDS_MAX)
    ),
    maxDurationSeconds: orElse(
      integer("Fails as `timed_out` when one attempt takes longer", 1, DURATION_SECONDS_MAX).annotate({
        default: DURATION_SECONDS_DEFAULT
      }),
      DURATION_SECONDS_DEFAULT
    ),
    maxAttempts: orElse(
      integer("How often it may begin when its worker is lost", 1, ATTEMPTS_MAX).annotate({ default: 1 }),
      1
    ),
    maxCostUsd: maybe(
      usdAmount(
        "The most that it may cost in all of its attempts, in USD; the agent's bound holds as well, where it is lower"
      )
    ),
    ifBusy,
    waitSeconds
  },
  {
    identifier: "NewRun",
    description: "A run to trigger",
    check: ({ content, message }) =>
      content !== undefined && content.length > 0 && (message ?? "") === ""
        ? { path: ["message"], issue: "must be there beside content" }
        : undefined,
    examples: [{ agent_id: "0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77", message: "Hello", wait_seconds: 10 }]
  }
)

/** Sums of tokens. */
export const tokenFields = {
  inputTokens: count("Tokens read, cache reads and writes included"),
  cacheReadTokens: count("Of these, read from a cache"),
  cacheWriteTokens: count("Of these, written to a cache"),
  outputTokens: count("Tokens written, reasoning included"),
  reasoningTokens: count("Of these, reasoning")
}

/** The members of a run in answers. */
export const runFields = {
  runId: id("The run's id"),
  sessionId: id("The session that it belongs to"),
  workspaceId: id("The workspace that it belongs to"),
  agentId: id("The agent that runs"),
  recipe: text("The recipe that executes it"),
  status: RunStatus.annotate({ description: "succeeded, failed and cancelled are final" }),
  paused: flag("Whether it ended on a question; its status is succeeded then"),
  message: nullableText("The agent's last message: on a paused run, the question"),
  interrupt: nullableObject(
    "The question's data, an object; null for a plain one. Of a chat its `type` says what it waits for: `question`, `tool_calls` or `approvals`. Where an " +
      "agent pauses with anything but an object, that is the member `value`"
  ),
  interruptTruncated: flag("Whether the interrupt was dropped because it was larger than 32 KiB"),
  input: JsonOut.annotate({ description: "The agent's input" }),
  result: JsonOut.annotate({
    description:
      "The result: any JSON of up to 256 KiB and 100 levels. A larger one, or a larger `message`, fails the run " +
      "as `output_too_large`; a deeper one, or a deeper `interrupt`, as `agent_error`"
  }),
  error: nullableText("Why it failed, for people, in up to 500 characters"),
  errorCode: Schema.NullOr(RunErrorCode).annotate({ description: "Why it failed, for programs" }),
  finishReason: Schema.NullOr(FinishReason).annotate({
    description:
      "Why the last answer of its model ended. `length`: it reached its limit of tokens, and what there is of it is the result. " +
      "Null for an agent without a model"
  }),
  attempt: count(
    "How often its execution has begun. A worker that is stopped hands its runs back, and that does not count"
  ),
  maxAttempts: count("How often it may begin"),
  trigger: wire(
    {
      type: Schema.Literals(["api", "message", "webhook", "schedule"]).annotate({ description: "The kind of trigger" }),
      id: nullableText("Which one; null for a call of the API")
    },
    { identifier: "RunTrigger", description: "The trigger of a run" }
  ),
  resumesRunId: nullableId("The paused run that this one answers"),
  resumedByRunId: nullableId("The run that answered this one's question"),
  createdAt: time("When it was triggered"),
  startedAt: Schema.NullOr(time("When its execution first began; null for one that never did")),
  finishedAt: Schema.NullOr(time("When it ended")),
  cancelRequestedAt: Schema.NullOr(
    time("When it was asked to be cancelled while it executed. It then ends `cancelled`, whatever its agent does")
  ),
  costUsd: usd(
    "The cost of its model calls so far, in USD; a call without a known price costs nothing here. It may grow after the end, by calls that are settled later"
  ),
  usage: wire(
    { requests: count("Requests to model providers"), ...tokenFields },
    { identifier: "Usage", description: "Sums over model calls" }
  ),
  metadata: metadataOut,
  tags: Schema.Array(Schema.String).annotate({ description: "The caller's own tags" })
}

/** The request behind a run, and its bounds. A record, which is for others, leaves them out. */
const askedFields = {
  agentVersion: Schema.NullOr(
    Schema.Int.annotate({ description: "The agent's version when its last attempt began; null before" })
  ),
  model: nullableText("The model that it or its agent named then; null for none, and to a browser key"),
  prompt: nullableText(
    "The caller's message to the agent: the `message` that it was triggered with, or that of a reply"
  ),
  overrides: Schema.NullOr(RunOverrides).annotate({
    description:
      "The settings that it has in the place of its agent's, as they were sent; null for none, and to a browser key"
  }),
  runAt: Schema.NullOr(time("Not executed before this time")),
  ttlSeconds: Schema.NullOr(
    count("It fails as `expired` when it has not begun so many seconds after it was due; null for no bound")
  ),
  priority: Schema.Int.annotate({ description: "Of the workspace's runs that are due, a higher priority goes first" }),
  maxDurationSeconds: count("It fails as `timed_out` when one attempt takes longer, in seconds"),
  maxCostUsd: Schema.NullOr(
    usd(
      "The most that it may cost in all of its attempts, in USD: the lower of its own bound and its agent's; null for none, and to a browser key"
    )
  )
}

/** The figures of a run, which browser keys are not shown. */
const figures = {
  costUsd: Schema.NullOr(runFields.costUsd).annotate({
    description:
      "The cost of its model calls so far, in USD, and null to a browser key; a call without a known price costs nothing here. It may grow after the end, by calls that are settled later"
  }),
  usage: Schema.NullOr(runFields.usage).annotate({ description: "Sums over its model calls; null to a browser key" })
}

/** A run. */
export const RunView = wire(
  { ...runFields, ...figures, ...askedFields },
  {
    identifier: "Run",
    description: "One asynchronous execution of an agent"
  }
)

/** An event of a run's log. */
export const RunEventView = wire(
  {
    runId: id("The run"),
    sessionId: id("Its session"),
    seq: count("The place in the run's log, from 1, without gaps"),
    type: RunEventType.annotate({ description: "The event's type" }),
    createdAt: time("When it happened"),
    attempt: count("The attempt it belongs to; 0 before the first"),
    data: Schema.Record(Schema.String, JsonOut).annotate({ description: "The event's data, by type" })
  },
  { identifier: "RunEvent", description: "One event of a run's log" }
)

/** A page of a run's log. */
export const RunLogPage = wire(
  {
    items: Schema.Array(RunEventView).annotate({ description: "Oldest first" }),
    nextCursor: nullableText("For the next page; null when there is no more yet"),
    lastSeq: count("The last place given out so far; pass it as `after` to get what comes later")
  },
  { identifier: "RunLogPage", description: "A page of a run's log" }
)

/** The log as a stream: each event's data is a `RunEvent`. */
export const RunEventStream = HttpApiSchema.StreamSse({
  events: Schema.Struct({
    id: Schema.optionalKey(Schema.String),
    event: Schema.String,
    data: Schema.fromJsonString(Schema.toCodecJson(RunEventView))
  })
})
