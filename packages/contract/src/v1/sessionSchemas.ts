/** Sessions and their messages as they cross the wire. Spec: Runs and sessions. */
import {
  INPUT_BYTES_MAX,
  OPENING_LENGTH_MAX,
  RunStatus,
  SESSIONS_LOOKED_AT_MAX,
  SessionStatus
} from "@agent-platform/runs"
import { Schema } from "effect"
import { approvals, toolResults } from "./callReplies.ts"
import { content } from "./contentSchemas.ts"
import {
  bounded,
  count,
  flag,
  id,
  JsonOut,
  json,
  maybe,
  metadata,
  nullableId,
  nullableText,
  orElse,
  pageFields,
  text,
  time
} from "./formats.ts"
import { overridesIn } from "./modelSchemas.ts"
import { cursorParameter, limitParameter, parameters } from "./queries.ts"
import { identifier, moment, search } from "./runList.ts"
import { ifBusy, MESSAGE_LENGTH_MAX, RunView, runFields, tags, waitSeconds } from "./runSchemas.ts"
import { wire } from "./wire.ts"

/** The longest reason of a cancellation, in characters. */
export const REASON_LENGTH_MAX = 500

/** The longest decision of a reply, in characters. */
export const DECISION_LENGTH_MAX = 100

/** The body that cancels a session. */
export const SessionCancel = wire(
  {
    reason: maybe(bounded("Why, for the log and the activity feed", 0, REASON_LENGTH_MAX)),
    mode: orElse(
      Schema.Literals(["graceful", "immediate"]).annotate({
        description: "Whether a run that executes may end by itself for up to 10 seconds, or is cut off at once",
        default: "graceful"
      }),
      "graceful"
    )
  },
  { identifier: "SessionCancel", description: "How a session is cancelled", examples: [{ reason: "Wrong customer" }] }
)

const runId = id("The run")

/** The outcome of cancelling a session. */
export const SessionCancelled = wire(
  {
    sessionId: id("The session"),
    cancelled: Schema.Array(
      wire(
        { runId, status: Schema.Literal("cancelled").annotate({ description: "Final" }) },
        { identifier: "CancelledRun", description: "A run that was cancelled" }
      )
    ).annotate({ description: "Runs that are cancelled" }),
    requested: Schema.Array(
      wire(
        {
          runId,
          status: Schema.Literal("running").annotate({ description: "It becomes `cancelled` and nothing else" }),
          cancelRequestedAt: time("Since when it is to be cancelled")
        },
        { identifier: "CancellingRun", description: "A run that executes and is to be cancelled" }
      )
    ).annotate({ description: "Runs that execute: they end as cancelled after 10 seconds of grace at the latest" }),
    closedQuestions: Schema.Array(
      wire(
        { runId },
        { identifier: "ClosedQuestion", description: "A paused run whose question can no longer be answered" }
      )
    ).annotate({ description: "Paused runs whose open question was closed. They keep their state" })
  },
  { identifier: "SessionCancelled", description: "The outcome of cancelling a session" }
)

/** The body that says something to a session. */
export const NewMessage = wire(
  {
    message: maybe(
      bounded(
        "The message: the answer to a question, or the start of the next turn. Required beside neither `tool_results` nor `approvals`",
        1,
        MESSAGE_LENGTH_MAX
      )
    ),
    toolResults: maybe(toolResults),
    approvals: maybe(approvals),
    runId: maybe(id("The paused run that is answered; the latest open question of the session when missing")),
    decision: maybe(bounded("The decision, in a word of the caller's own, such as approve", 1, DECISION_LENGTH_MAX)),
    data: Schema.optionalKey(
      json("The structured answer, beside the text: any JSON of up to 256 KiB", INPUT_BYTES_MAX / 1_024)
    ),
    content: Schema.optionalKey(content),
    ...overridesIn,
    metadata: Schema.optionalKey(metadata),
    tags: Schema.optionalKey(tags),
    ifBusy,
    waitSeconds
  },
  {
    identifier: "NewMessage",
    description: "A message to a session",
    examples: [
      { message: "Yes, refund it", decision: "approve" },
      { tool_results: [{ tool_call_id: "call_1", output: { status: "shipped" } }] }
    ],
    check: ({ approvals: decided = null, data, decision = null, message = null, tool_results = null }) => {
      if (message !== null) return undefined
      if (tool_results === null && decided === null) {
        return { path: ["message"], issue: "must be given, or tool_results, or approvals" }
      }
      if (decision !== null) return { path: ["decision"], issue: "must come with a message" }
      return data === undefined ? undefined : { path: ["data"], issue: "must come with a message" }
    }
  }
)

/** The outcome of a message: a run of its own. */
export const MessageAccepted = wire(
  {
    messageId: id("The message's id"),
    sessionId: id("The session"),
    runId: id("The run that takes the message up and reports its own outcome"),
    resumesRunId: nullableId("The paused run that it answers; null for an ordinary turn"),
    status: RunStatus.annotate({ description: "The state of the new run" }),
    run: RunView
  },
  { identifier: "MessageAccepted", description: "A message that was accepted" }
)

const identity = {
  sessionId: id("The session's id"),
  workspaceId: id("The workspace that it belongs to")
}

const standing = {
  status: SessionStatus.annotate({
    description:
      "`running` while a run executes, else `queued` while one waits, else `paused` while a question is open, else `idle`"
  }),
  createdAt: time("When its first run was triggered"),
  unfinished: wire(
    {
      queued: count("Runs that wait"),
      running: count("Runs that execute: one at most")
    },
    { identifier: "UnfinishedRuns", description: "How many runs have not ended" }
  ),
  latestRun: Schema.NullOr(
    wire(
      {
        runId,
        status: RunStatus.annotate({ description: "Its state" }),
        paused: flag("Whether it ended on a question")
      },
      { identifier: "LatestRun", description: "The run that joined the session last" }
    )
  )
}

/** A session. */
export const SessionView = wire(
  {
    ...identity,
    ...standing,
    openQuestion: Schema.NullOr(
      wire(
        {
          runId,
          message: nullableText("The question"),
          interrupt: runFields.interrupt,
          interruptTruncated: runFields.interruptTruncated,
          askedAt: time("When it was asked")
        },
        {
          identifier: "OpenQuestion",
          description: "The latest question that was neither answered nor cancelled. Earlier ones may be open, too"
        }
      )
    )
  },
  { identifier: "Session", description: "A conversation, whose runs execute one after another" }
)

/** Something that was said in a session. */
export const MessageView = wire(
  {
    messageId: id("The message's id"),
    sessionId: id("The session"),
    runId: id("The run that it belongs to"),
    role: Schema.Literals(["user", "agent"]).annotate({ description: "Who said it: the caller, or the agent" }),
    message: text("The text"),
    decision: nullableText("The decision of a reply"),
    data: JsonOut.annotate({ description: "The data of a reply" }),
    question: flag("Whether the agent asks and waits for a reply"),
    createdAt: time("When it was said")
  },
  { identifier: "Message", description: "Something that was said in a session" }
)

/** A page of what was said. */
export const MessagePage = wire(pageFields(MessageView), {
  identifier: "MessagePage",
  description: "Messages of a session, newest first"
})

/** The filters and the page of a list of sessions. */
export const sessionListParameters = parameters({
  status: {
    schema: Schema.optionalKey(SessionStatus),
    doc: {
      description:
        "Only sessions in this status: `paused` for those that wait for an answer and have nothing under way",
      schema: { type: "string", enum: SessionStatus.literals }
    }
  },
  agent_id: identifier("Only sessions whose first run is of this agent; an unknown one has none"),
  since: moment("Only sessions that began at this time or later"),
  until: moment("Only sessions that began before this time"),
  q: search(
    `Only sessions with this text, in any case, in the first ${OPENING_LENGTH_MAX} characters of the message that they began ` +
      "with, or whose id, or first run's id, begins with it"
  ),
  limit: limitParameter,
  cursor: cursorParameter
})

/** A session as a list shows it. */
export const SessionSummary = wire(
  {
    ...identity,
    agentId: id("The agent of its first run"),
    firstMessage: nullableText(
      `The first ${OPENING_LENGTH_MAX} characters of the message that it began with; null where it began without one`
    ),
    ...standing,
    openQuestion: Schema.NullOr(
      wire(
        {
          runId,
          message: nullableText(`The first ${OPENING_LENGTH_MAX} characters of the question`),
          askedAt: time("When it was asked")
        },
        {
          identifier: "OpenQuestionSummary",
          description: "The latest question that was neither answered nor cancelled"
        }
      )
    )
  },
  { identifier: "SessionSummary", description: "A session as a list shows it" }
)

/** A page of sessions. */
export const SessionPage = wire(pageFields(SessionSummary), {
  identifier: "SessionPage",
  description:
    `Sessions, newest first. With \`status\` or \`q\` a page looks at ${SESSIONS_LOOKED_AT_MAX} sessions at most: it may hold fewer ` +
    "than `limit`, or none, and `next_cursor` still leads on"
})
