import { atomic, Signals, type Transaction, type UnitOfWork } from "@agent-platform/kernel"
import { type Deferred, Effect } from "effect"
import { logFailures } from "../logFailures.ts"
import { type Checkpoint, CheckpointStore } from "../ports/CheckpointStore.ts"
import { RunLog } from "../ports/RunLog.ts"
import type { ClaimedRun } from "../ports/RunQueue.ts"
import { RunSettlement } from "../ports/RunSettlement.ts"
import type { NewRunEvent } from "../RunEvent.ts"
import { runChanged } from "../signals.ts"
import { type Settlement, settleRuns } from "../use-cases/settleRuns.ts"

/** A checkpoint to save, under the claim of its run. */
export type SavedState = Pick<Checkpoint, "state" | "kept">

/** The unwritten part of one run, which is written in one transaction. */
export interface Unwritten {
  readonly claimed: ClaimedRun
  readonly events: Array<NewRunEvent>
  /** Its size, in bytes of JSON. */
  bytes: number
  /** How the run leaves this worker: to its end, or back to the queue; undefined while it goes on. */
  settling: Pick<Settlement, "becomes" | "retryReason" | "mayHaveCheckpoint" | "toolCalls"> | undefined
  /** The checkpoint that is to be saved with it; undefined for none. */
  toSave: SavedState | undefined
  /** Whether that was saved: true once it is committed, never where the claim was lost or the write given up. */
  isSaved: boolean
  /** Whether the claim was lost before it was settled. */
  lost: boolean
  readonly written: Deferred.Deferred<void>
  /** Called where it cannot be stored. */
  readonly refused: () => void
  /** Called once it is written or given up. */
  readonly done: () => void
}

export type BatchPorts =
  | UnitOfWork
  | CheckpointStore
  | RunLog
  | Signals
  | Exclude<Effect.Services<ReturnType<typeof settleRuns>>, Transaction>

const writeAll = Effect.fnUntraced(function* (batch: ReadonlyArray<Unwritten>) {
  const log = yield* RunLog
  const settlement = yield* RunSettlement
  const checkpoints = yield* CheckpointStore
  const signals = yield* Signals
  const going = batch.filter((one) => one.settling === undefined)
  const leaving = batch.flatMap(
    ({ claimed, events, settling }): ReadonlyArray<Settlement> =>
      settling === undefined ? [] : [{ ...claimed, ...settling, events }]
  )
  if (going.length > 0) {
    yield* log.append(
      going.map(({ claimed, events }) => ({ runId: claimed.run.id, claimToken: claimed.claimToken, events }))
    )
  }
  // Checkpoints of runs that leave, too: one that is handed back goes on from there. Sessions are locked first, as a cancellation
  // does, since a save locks the row of the run and the other order could deadlock.
  if (batch.some(({ settling, toSave }) => settling !== undefined && toSave !== undefined)) {
    yield* settlement.hold(leaving.map(({ claimToken, run }) => ({ runId: run.id, claimToken })))
  }
  const saved: Array<Unwritten> = []
  for (const one of batch) {
    const { claimed, toSave } = one
    if (toSave !== undefined && (yield* checkpoints.save({ ...claimed, ...toSave }))) saved.push(one)
  }
  for (const { claimed } of going) yield* signals.raise(runChanged(claimed.run.id))
  const changed = yield* settleRuns(leaving)
  const settled = new Set(changed.map(({ id }) => id))
  return { saved, changed, lost: batch.filter((one) => one.settling !== undefined && !settled.has(one.claimed.run.id)) }
})

/** Writes a batch in one transaction: all of it or nothing. */
export const writeBatch = (batch: ReadonlyArray<Unwritten>): Effect.Effect<void, never, BatchPorts> =>
  Effect.flatMap(atomic(writeAll(batch)), ({ changed, lost, saved }) => {
    // Not before it is committed: a transaction that is undone has saved nothing.
    for (const one of saved) one.isSaved = true
    for (const one of lost) one.lost = true
    return logFailures(changed)
  })
