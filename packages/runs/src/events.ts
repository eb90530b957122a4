/** The events that runs publish to an organization's endpoints. Spec: Run event data. */
import { defineEvent, type EventKind, EventTime, EventUsd, SAMPLE_ID, WorkspaceId } from "@agent-platform/kernel"
import { DateTime, Schema } from "effect"
import { AgentId } from "./Agent.ts"
import { plainUsd, type Run, RunErrorCode, RunId, RunStatus, RunTrigger } from "./Run.ts"
import { finalEventType } from "./RunEvent.ts"
import { SessionId } from "./Session.ts"

const common = {
  run_id: RunId.annotateKey({ description: "The run" }),
  session_id: SessionId.annotateKey({ description: "The session that it belongs to" }),
  workspace_id: WorkspaceId.annotateKey({ description: "The workspace; routes the event to the right customer" }),
  agent_id: AgentId.annotateKey({ description: "The agent" }),
  recipe: Schema.String.annotateKey({ description: "The recipe that executed the run" }),
  status: RunStatus.annotateKey({ description: "As the run reads; `succeeded` on a pause, too" }),
  error: Schema.NullOr(Schema.String).annotateKey({
    description: "On `run.failed` why, in up to 500 characters; else null"
  }),
  started_at: EventTime.annotateKey({ description: "ISO 8601 in UTC; the end of a run that never started" }),
  finished_at: EventTime.annotateKey({ description: "ISO 8601 in UTC" }),
  paused: Schema.Boolean.annotateKey({ description: "True on `run.paused`, else false" }),
  interrupt: Schema.NullOr(Schema.JsonObject).annotateKey({
    description: "What the question carries: an object; null for a plain one and on all other events"
  }),
  interrupt_truncated: Schema.Boolean.annotateKey({
    description: "True when the interrupt was larger than 32 KiB; it is null then"
  }),
  // Events from before these members were added are still replayed, and a receiver decodes them as well.
  error_code: Schema.optionalKey(Schema.NullOr(RunErrorCode)).annotateKey({
    description: "On `run.failed` why, for programs; else null"
  }),
  attempt: Schema.optionalKey(Schema.Int).annotateKey({
    description: "How often its execution has begun; 0 for a run that never started"
  }),
  trigger: Schema.optionalKey(RunTrigger).annotateKey({
    description: "What triggered it"
  }),
  cost_usd: Schema.optionalKey(EventUsd).annotateKey({
    description:
      "The cost of its model calls when the event was made, in USD, as a decimal; a call without a known price costs " +
      "nothing here. It may grow after the end, by calls that are settled later: the run has the latest"
  }),
  metadata: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)).annotateKey({
    description: "The caller's own pairs"
  }),
  tags: Schema.optionalKey(Schema.Array(Schema.String)).annotateKey({ description: "The caller's own tags" })
}

/** The data of a run event. Only events about a question have a `message`. */
export const RunEventData = Schema.Struct(common)
export const RunStartedData = Schema.Struct({
  ...common,
  finished_at: Schema.Null.annotateKey({ description: "Null: it has not ended" })
})
export const RunPausedData = Schema.Struct({
  ...common,
  message: Schema.String.annotateKey({ description: "The question. On `run.paused` and `agent.paused_reminder` alone" })
})

const sampleOf = (at: DateTime.Utc): typeof RunEventData.Encoded => ({
  run_id: SAMPLE_ID,
  session_id: SAMPLE_ID,
  workspace_id: SAMPLE_ID,
  agent_id: SAMPLE_ID,
  recipe: "demo",
  status: "succeeded",
  error: null,
  started_at: DateTime.formatIso(at),
  finished_at: DateTime.formatIso(at),
  paused: false,
  interrupt: null,
  interrupt_truncated: false,
  error_code: null,
  attempt: 1,
  trigger: { type: "api", id: null },
  cost_usd: "0.00",
  metadata: {},
  tags: []
})

const outcome = <Type extends string>(type: Type, when: string, sample: Partial<typeof RunEventData.Encoded> = {}) =>
  defineEvent({ type, when, data: RunEventData, sample: (at) => ({ ...sampleOf(at), ...sample }) })

export const runSucceeded = outcome("run.succeeded", "A run finished")
export const runPaused = defineEvent({
  type: "run.paused",
  when: "A run ended on a question. Comes instead of `run.succeeded`",
  data: RunPausedData,
  sample: (at) => ({ ...sampleOf(at), paused: true, message: "Shall I go on?" })
})
export const runFailed = outcome("run.failed", "A run failed", {
  status: "failed",
  error: "This is a test",
  error_code: "agent_error"
})
export const runCancelled = outcome("run.cancelled", "A run was cancelled", { status: "cancelled" })

export const agentPausedReminder = defineEvent({
  type: "agent.paused_reminder",
  when: "The question of a run has waited for an hour, and nobody has answered it. Once a question",
  byName: true,
  data: RunPausedData,
  sample: (at) => ({ ...sampleOf(at), paused: true, message: "Shall I go on?" })
})

export const runStarted = defineEvent({
  type: "run.started",
  when: "The execution of a run has begun; again, with the next `attempt`, where its worker was lost",
  byName: true,
  data: RunStartedData,
  sample: (at) => ({ ...sampleOf(at), status: "running", finished_at: null })
})

/** Every kind of event that this package publishes. */
export const runEventKinds = [
  runSucceeded,
  runPaused,
  runFailed,
  runCancelled,
  runStarted,
  agentPausedReminder
] as const

const KINDS = {
  "run.succeeded": runSucceeded,
  "run.paused": runPaused,
  "run.failed": runFailed,
  "run.cancelled": runCancelled
} as const

/** A run as events carry it. */
const dataOf = (run: Run): typeof RunEventData.Type => {
  const finishedAt = DateTime.formatIso(run.finishedAt ?? run.createdAt)
  return {
    run_id: run.id,
    session_id: run.sessionId,
    workspace_id: run.workspaceId,
    agent_id: run.agentId,
    recipe: run.recipe,
    status: run.status,
    error: run.error,
    // A run that never started has no start of its own to report.
    started_at: run.startedAt === null ? finishedAt : DateTime.formatIso(run.startedAt),
    finished_at: finishedAt,
    paused: run.paused,
    interrupt: run.interrupt,
    interrupt_truncated: run.interruptTruncated,
    error_code: run.errorCode,
    attempt: run.attempt,
    trigger: run.trigger,
    cost_usd: plainUsd(run.costUsd),
    metadata: run.metadata,
    tags: run.tags
  }
}

/** The data of the event that a run's execution has begun. */
export const startData = (run: Run): typeof RunStartedData.Type => ({ ...dataOf(run), finished_at: null })

/** The data of an event about the question of a run. */
export const questionData = (run: Run): typeof RunPausedData.Type => ({ ...dataOf(run), message: run.message ?? "" })

/** The event that reports how a finished run ended, and its data. */
export const outcomeEvent = (
  run: Run
): { readonly kind: EventKind<string, Schema.Codec<unknown, unknown>>; readonly data: unknown } => {
  const kind = KINDS[finalEventType(run)]
  return { kind, data: kind === runPaused ? questionData(run) : dataOf(run) }
}
