import { type Job, JobSource, Signals, UnitOfWork } from "@agent-platform/kernel"
import { DateTime, Effect } from "effect"
import { type executeRun, runChanged } from "../jobs.ts"
import { RunLog } from "../ports/RunLog.ts"
import { RunStore } from "../ports/RunStore.ts"

type ExecuteJob = Job<(typeof executeRun)["payload"]["Type"]>

/**
 * Claims the runs that jobs name and completes the jobs, in one transaction: from here on the run's own claim says
 * who executes it. A run that may not go yet (its session is busy) stays queued and gets another job when it may.
 */
export const beginRuns = Effect.fn("runs.beginRuns")(function* (
  jobs: ReadonlyArray<ExecuteJob>,
  options: { readonly leaseSeconds: number }
) {
  const runs = yield* RunStore
  const log = yield* RunLog
  const source = yield* JobSource
  const signals = yield* Signals
  const unit = yield* UnitOfWork
  return yield* unit.atomic(
    Effect.gen(function* () {
      const now = yield* DateTime.now
      const claimed = yield* runs.claim(
        jobs.map((job) => job.payload.run_id),
        { ...options, now }
      )
      yield* log.append(
        claimed.map(({ run, claimToken }) => ({
          runId: run.id,
          claimToken,
          events: [{ type: "run.started" as const, createdAt: now, attempt: run.attempt, data: {} }]
        }))
      )
      yield* source.complete(jobs)
      yield* Effect.forEach(claimed, ({ run }) => signals.raise(runChanged(run.id)), { discard: true })
      return claimed
    })
  )
})
