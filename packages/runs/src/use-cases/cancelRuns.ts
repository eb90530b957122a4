import { recordActivity, Signals, useCase, type WorkspaceCaller } from "@agent-platform/kernel"
import { DateTime, Effect } from "effect"
import { RunLog } from "../ports/RunLog.ts"
import { type HeldRun, RunStore } from "../ports/RunStore.ts"
import { cancelled, type Run } from "../Run.ts"
import type { NewRunEvent } from "../RunEvent.ts"
import type { SessionId } from "../Session.ts"
import { runCancelRequested, runChanged } from "../signals.ts"
import { settleRuns } from "./settleRuns.ts"

/** `graceful` lets a run that executes end by itself for a while, `immediate` does not. */
export type CancelMode = "graceful" | "immediate"

/** Who cancels, and how. */
export interface Cancellation {
  readonly caller: WorkspaceCaller
  readonly reason: string | null
  readonly mode: CancelMode
}

/** Runs that are ended in one go: a session may have as many queued as its workspace. */
const BATCH_MAX = 100

const requestEvent = (run: Run, { mode, reason }: Cancellation, createdAt: DateTime.Utc): NewRunEvent => ({
  type: "cancel.requested",
  createdAt,
  attempt: run.attempt,
  data: { reason, mode }
})

const record = (runs: ReadonlyArray<Run>, { caller, mode, reason }: Cancellation) =>
  recordActivity(
    ...runs.map((run) => ({
      organizationId: run.organizationId,
      workspaceId: run.workspaceId,
      action: "run.cancelled",
      actor: caller.actor,
      summary: `${caller.actor.label} cancelled a run`,
      resourceType: "run",
      resourceId: run.id,
      payload: { session_id: run.sessionId, reason, mode }
    }))
  )

/** Asks for the cancellation of a run that executes; one that was asked for before stays as it was. */
const request = Effect.fnUntraced(function* ({ claimToken, run }: HeldRun, cancellation: Cancellation) {
  const runs = yield* RunStore
  const log = yield* RunLog
  const signals = yield* Signals
  const cancelRequestedAt = yield* runs.requestCancel(run.id)
  if (cancelRequestedAt === undefined) return undefined
  if (run.cancelRequestedAt === null) {
    const event = requestEvent(run, cancellation, yield* DateTime.now)
    yield* log.append([{ runId: run.id, claimToken, events: [event] }])
    yield* record([run], cancellation)
  }
  yield* signals.raise(runChanged(run.id))
  yield* signals.raise(runCancelRequested(run.id))
  return { ...run, cancelRequestedAt }
})

/**
 * Cancels every unfinished run of a session that the transaction holds. Queued runs are cancelled by it. One that executes
 * is marked and its worker told; with `immediate` it is fenced off and cancelled here, else `recoverRuns` does so after
 * the grace, whatever its agent does. Answers what it cancelled, and what is to be.
 */
export const cancelRuns = useCase("runs.cancelRuns")(function* (sessionId: SessionId, cancellation: Cancellation) {
  const runs = yield* RunStore
  const now = yield* DateTime.now
  const becomes = (run: Run) => cancelled(run, now)
  const ended: Array<Run> = []
  const requested: Array<Run> = []
  while (true) {
    const unfinished = yield* runs.holdUnfinished(sessionId, BATCH_MAX)
    for (const held of unfinished) {
      if (held.run.status !== "running" || requested.some(({ id }) => id === held.run.id)) continue
      const run = yield* request(held, cancellation)
      if (run === undefined) continue
      if (cancellation.mode === "graceful") requested.push(run)
      else ended.push(...(yield* settleRuns([{ ...held, becomes, events: [], reason: "worker_lost" }])))
    }
    const queued = unfinished.filter(({ run }) => run.status === "queued")
    if (queued.length === 0) return { cancelled: ended, requested }
    const settled = yield* settleRuns(
      queued.map((held) => ({
        ...held,
        becomes: (run) => becomes({ ...run, cancelRequestedAt: now }),
        events: [requestEvent(held.run, cancellation, now)],
        reason: "worker_lost"
      }))
    )
    if (settled.length === 0) return yield* Effect.die(new Error("Queued runs that are held cannot be cancelled"))
    yield* record(settled, cancellation)
    ended.push(...settled)
  }
})
