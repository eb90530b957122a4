import type { Run, RunEvent } from "@agent-platform/runs"
import { canonicalUsd } from "./money.ts"

/** A run as the contract shows it. */
export const runView = (run: Run) => ({
  runId: run.id,
  sessionId: run.sessionId,
  workspaceId: run.workspaceId,
  agentId: run.agentId,
  recipe: run.recipe,
  status: run.status,
  paused: run.paused,
  message: run.message,
  interrupt: run.interrupt,
  interruptTruncated: run.interruptTruncated,
  input: run.input,
  result: run.result,
  error: run.error,
  errorCode: run.errorCode,
  attempt: run.attempt,
  maxAttempts: run.maxAttempts,
  trigger: run.trigger,
  resumesRunId: run.resumesRunId,
  resumedByRunId: run.resumedByRunId,
  createdAt: run.createdAt,
  startedAt: run.startedAt,
  finishedAt: run.finishedAt,
  cancelRequestedAt: run.cancelRequestedAt,
  costUsd: canonicalUsd(run.costUsd),
  usage: run.usage,
  metadata: run.metadata,
  tags: run.tags
})

/** An event of a run's log as the contract shows it. */
export const runEventView = (event: RunEvent) => ({
  runId: event.runId,
  sessionId: event.sessionId,
  seq: event.seq,
  type: event.type,
  createdAt: event.createdAt,
  attempt: event.attempt,
  data: event.data
})
