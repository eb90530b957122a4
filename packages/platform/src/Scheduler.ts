import {
  type Job,
  type JobHistory,
  type JobProgress,
  JobSource,
  JobTrigger,
  ProcessName,
  type UnitOfWork
} from "@agent-platform/kernel"
import { Effect, Layer, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import { beginJobCounts } from "./jobMeasures.ts"
import { SCHEDULED_JOBS, type ScheduledPorts } from "./jobs.ts"
import { runJob } from "./runJob.ts"
import type { ScheduledJob } from "./ScheduledJob.ts"

/** The ports of every scheduler beside those of its jobs. */
export type SchedulerPorts = JobHistory | JobSource | UnitOfWork | SecureRandom.SecureRandom

const isTrigger = Schema.is(JobTrigger)

const triggerOf = ({ payload }: Job<object>): JobTrigger =>
  "trigger" in payload && isTrigger(payload.trigger) ? payload.trigger : "schedule"

const work = Effect.fnUntraced(function* <R>(job: ScheduledJob<R>) {
  const source = yield* JobSource
  const holder = yield* ProcessName
  yield* beginJobCounts(job.kind.name)
  const act = Effect.fnUntraced(function* (taken: Job<object>) {
    let itemsDone: number | undefined
    const onProgress = (progress: JobProgress) =>
      Effect.sync(() => {
        itemsDone = progress.itemsDone
      })
    const summary = yield* runJob(job, { trigger: triggerOf(taken), holder, onProgress })
    // A job that runs every minute and had nothing to do would only fill the log.
    yield* itemsDone === 0 ? Effect.logDebug(summary) : Effect.logInfo(summary)
    return "done" as const
  })
  return yield* source.work(job.kind, act)
})

/** Does these jobs as they come due. Any number of processes may: one of them at a time has a job. */
export const layerOf = <R>(jobs: ReadonlyArray<ScheduledJob<R>>): Layer.Layer<never, never, SchedulerPorts | R> =>
  Layer.effectDiscard(Effect.forEach(jobs, (job) => Effect.forkScoped(work(job)), { discard: true }))

/** Does the jobs of the scheduler, `SCHEDULED_JOBS`. */
export const layer: Layer.Layer<never, never, SchedulerPorts | ScheduledPorts> = layerOf(SCHEDULED_JOBS)
