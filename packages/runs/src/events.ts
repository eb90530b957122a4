/** The events that runs publish to an organization's endpoints. Spec: Run event data. */
import { defineEvent, type EventKind, WorkspaceId } from "@agent-platform/kernel"
import { DateTime, Schema } from "effect"
import { AgentId } from "./Agent.ts"
import { type Run, RunId, RunStatus } from "./Run.ts"
import { finalEventType } from "./RunEvent.ts"
import { SessionId } from "./Session.ts"

const common = {
  run_id: RunId,
  session_id: SessionId,
  workspace_id: WorkspaceId,
  agent_id: AgentId,
  recipe: Schema.String,
  status: RunStatus,
  error: Schema.NullOr(Schema.String),
  started_at: Schema.String,
  finished_at: Schema.String,
  paused: Schema.Boolean,
  interrupt: Schema.NullOr(Schema.Json),
  interrupt_truncated: Schema.Boolean
}

/** What a run event says. `message` is there on run.paused alone. */
export const RunEventData = Schema.Struct(common)
export const RunPausedData = Schema.Struct({ ...common, message: Schema.String })

export const runSucceeded = defineEvent("run.succeeded", RunEventData)
export const runPaused = defineEvent("run.paused", RunPausedData)
export const runFailed = defineEvent("run.failed", RunEventData)
export const runCancelled = defineEvent("run.cancelled", RunEventData)

/** Every event kind of this package. */
export const events = [runSucceeded, runPaused, runFailed, runCancelled] as const

/** The event that reports how a finished run ended, and its data. */
export const outcomeEvent = (
  run: Run
): { readonly kind: EventKind<string, Schema.Codec<unknown, unknown>>; readonly data: unknown } => {
  const finishedAt = DateTime.formatIso(run.finishedAt ?? run.createdAt)
  const data: typeof RunEventData.Type = {
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
    interrupt_truncated: run.interruptTruncated
  }
  switch (finalEventType(run)) {
    case "run.succeeded":
      return { kind: runSucceeded, data }
    case "run.paused":
      return { kind: runPaused, data: { ...data, message: run.message ?? "" } }
    case "run.cancelled":
      return { kind: runCancelled, data }
    case "run.failed":
      return { kind: runFailed, data }
  }
}
