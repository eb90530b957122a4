import { recordActivity, Signals, type WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { actOf } from "../activity.ts"
import { RunLog } from "../ports/RunLog.ts"
import { type HeldRun, RunSettlement } from "../ports/RunSettlement.ts"
import { SessionRuns } from "../ports/SessionRuns.ts"
import { Run, type RunId } from "../Run.ts"
import type { NewRunEvent } from "../RunEvent.ts"
import type { SessionId } from "../Session.ts"
import { runCancelRequested, runChanged } from "../signals.ts"
import { settleRuns } from "./settleRuns.ts"

/** `graceful` lets a run that executes end by itself for a while, `immediate` does not. */
export type CancelMode = "graceful" | "immediate"

/** A request to cancel runs. */
export interface Cancellation {
  readonly caller: WorkspaceCaller
  readonly reason: string | null
  readonly mode: CancelMode
}

/** Most runs that are cancelled in one transaction: a session may have as many queued runs as its workspace may. */
const BATCH_MAX = 200

const requestEvent = (run: Run, { mode, reason }: Cancellation, createdAt: DateTime.Utc): NewRunEvent => ({
  type: "cancel.requested",
  createdAt,
  attempt: run.attempt,
  data: { reason, mode }
})

const record = (runs: ReadonlyArray<Run>, { caller, mode, reason }: Cancellation) =>
  recordActivity(
    ...runs.map(({ id: resourceId, sessionId }) => {
      const payload = { session_id: sessionId, reason, mode }
      return actOf(caller, { resourceType: "run", resourceId, verb: "cancelled", words: "cancelled a run", payload })
    })
  )

/** Asks for the cancellation of a run that executes, unless it was asked for before. */
const request = Effect.fnUntraced(function* ({ claimToken, run }: HeldRun, cancellation: Cancellation) {
  const settlement = yield* RunSettlement
  const log = yield* RunLog
  const signals = yield* Signals
  const cancelRequestedAt = yield* settlement.requestCancel(run.id)
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

/** The outcome of one batch. Runs stand in the order in which they execute. */
interface Batch {
  readonly cancelled: ReadonlyArray<Run>
  /** Those that still execute, and whose workers were asked to stop. */
  readonly requested: ReadonlyArray<Run>
  /** The next batch is of the runs before this one; undefined after the last batch. */
  readonly before: RunId | undefined
}

/**
 * Cancels the last unfinished runs, up to a batch, of a session that the transaction has locked. Queued runs are cancelled here. One that
 * executes, which is the first in line, is marked and its worker notified; with `immediate` it is fenced off and
 * cancelled here too, else `recoverRuns` does so after the grace if it has not ended by then.
 */
export const cancelBatch = useCase("runs.cancelBatch")(function* (
  sessionId: SessionId,
  cancellation: Cancellation,
  before: RunId | undefined
) {
  const sessionRuns = yield* SessionRuns
  const now = yield* DateTime.now
  const cancelled = (run: Run) => Run.cancelled(run, now)
  const ended: Array<Run> = []
  const requested: Array<Run> = []
  const unfinished = yield* sessionRuns.holdUnfinished(sessionId, BATCH_MAX, before)
  for (const held of unfinished) {
    if (held.run.status !== "running") continue
    const run = yield* request(held, cancellation)
    if (run === undefined) continue
    if (cancellation.mode === "graceful") requested.push(run)
    else ended.push(...(yield* settleRuns([{ ...held, becomes: cancelled, events: [] }])))
  }
  const queued = unfinished.filter(({ run }) => run.status === "queued")
  const settled = yield* settleRuns(
    queued.map((held) => ({
      ...held,
      becomes: (run) => cancelled({ ...run, cancelRequestedAt: now }),
      events: [requestEvent(held.run, cancellation, now)]
    }))
  )
  if (settled.length < queued.length)
    return yield* Effect.die(new Error("Queued runs that are held cannot be cancelled"))
  yield* record(settled, cancellation)
  return {
    cancelled: [...ended, ...settled],
    requested,
    before: unfinished.length < BATCH_MAX ? undefined : unfinished[0]?.run.id
  } satisfies Batch
})

/**
 * Cancels batch after batch, from the end of the line to its head, so that no waiting run gets its turn meanwhile. Runs that
 * join the line after the first batch stay. Each batch may be a transaction of its own: another cancellation goes on where
 * one stopped.
 */
export const cancelRuns = Effect.fnUntraced(function* <E, R>(
  cancelOne: (before: RunId | undefined) => Effect.Effect<Batch, E, R>
) {
  const batches: Array<Batch> = []
  // Each batch executes before those that were cancelled before it, so it goes in front of them.
  do batches.unshift(yield* cancelOne(batches[0]?.before))
  while (batches[0]?.before !== undefined)
  return {
    cancelled: batches.flatMap(({ cancelled }) => cancelled),
    requested: batches.flatMap(({ requested }) => requested)
  }
})
