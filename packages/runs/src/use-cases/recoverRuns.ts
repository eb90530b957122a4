import { UnitOfWork } from "@agent-platform/kernel"
import { DateTime, Effect } from "effect"
import { RunStore } from "../ports/RunStore.ts"
import { failed, isTerminal, lost } from "../Run.ts"
import { finalEvent } from "../RunEvent.ts"
import { type Settlement, settleRuns } from "./settleRuns.ts"

/** Most runs that are recovered in one transaction. */
const BATCH_MAX = 100

/**
 * Recovers runs whose worker is gone (queued again while attempts remain, else failed as `worker_lost`) and fails
 * those that expired before they began. Answers how many. Any number of workers may do it at once.
 */
export const recoverRuns = Effect.fn("runs.recoverRuns")(function* () {
  const runs = yield* RunStore
  const unit = yield* UnitOfWork
  const now = yield* DateTime.now
  return yield* unit.atomic(
    Effect.gen(function* () {
      const settlements: Array<Settlement> = []
      for (const { claimToken, run } of yield* runs.lapsed({ max: BATCH_MAX, now })) {
        const after = lost(run, now)
        const events = isTerminal(after)
          ? [finalEvent(after)]
          : [{ type: "run.retrying" as const, createdAt: now, attempt: run.attempt, data: { reason: "worker_lost" } }]
        settlements.push({ claimToken, run: after, events })
      }
      for (const run of yield* runs.expired({ max: BATCH_MAX, now })) {
        const after = failed(run, "expired", "The run did not begin before its time to live was over", now)
        settlements.push({ claimToken: null, run: after, events: [finalEvent(after)] })
      }
      if (settlements.length > 0) yield* settleRuns(settlements)
      return settlements.length
    })
  )
})
