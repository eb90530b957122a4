import {
  type Job,
  type JobHistory,
  type JobProgress,
  JobSource,
  JobTrigger,
  persistently,
  Signals,
  UnitOfWork,
  untilDone
} from "@agent-platform/kernel"
import { Cause, Context, Effect, Layer, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import { SCHEDULED_JOBS, type ScheduledPorts } from "./jobs.ts"
import { runJob } from "./runJob.ts"
import type { ScheduledJob } from "./ScheduledJob.ts"

/** How often a due job is looked for when no signal comes; such work is never urgent. */
const POLL_SECONDS = 15

/** When a job is tried again after a fault: longer each time, in seconds. */
const RETRY_SECONDS_MIN = 60
const RETRY_SECONDS_MAX = 3_600

/** When it is looked whether another process that does a job has come to its end, in seconds. */
const LOOK_AGAIN_SECONDS = 15

/** How this process is called in the history of jobs. */
export const JobHolder = Context.Reference<string>("@agent-platform/platform/JobHolder", {
  defaultValue: () => "unnamed"
})

/** What every scheduler needs beside what its jobs need. */
export type SchedulerPorts = JobHistory | JobSource | Signals | UnitOfWork | SecureRandom.SecureRandom

/** Seconds until the attempt after this one, which failed. */
export const retryDelaySeconds = (attempt: number): number =>
  Math.min(RETRY_SECONDS_MIN * 2 ** Math.min(attempt - 1, 10), RETRY_SECONDS_MAX)

const isTrigger = Schema.is(JobTrigger)

const triggerOf = ({ payload }: Job<object>): JobTrigger =>
  "trigger" in payload && isTrigger(payload.trigger) ? payload.trigger : "schedule"

const work = <R>(job: ScheduledJob<R>) =>
  Effect.gen(function* () {
    const source = yield* JobSource
    const signals = yield* Signals
    const unit = yield* UnitOfWork
    const holder = yield* JobHolder
    const { name } = job.kind
    const next = yield* signals.listen(name)

    // A job that is given up on while the store is away would stay this process's, and nobody would do it.
    const handBack = (taken: Job<object>, delaySeconds: number) =>
      untilDone(`Handing back the job ${name}`, source.release([taken], { delaySeconds }))

    const act = Effect.fnUntraced(function* (taken: Job<object>) {
      let itemsDone: number | undefined
      const onProgress = (come: JobProgress) =>
        Effect.sync(() => {
          itemsDone = come.itemsDone
        })
      const said = yield* runJob(job, { trigger: triggerOf(taken), holder, onProgress }).pipe(
        Effect.catchTag("JobAlreadyRunning", ({ holder: other }) =>
          // One that had begun it and is gone has left it half done; one that lives brings it to its end.
          taken.attempt > 1 ? Effect.undefined : Effect.succeed(`It is being done by ${other} already`)
        ),
        Effect.onExit((exit) => {
          if (exit._tag === "Success") return Effect.void
          const isStopped = Cause.hasInterruptsOnly(exit.cause)
          return handBack(taken, isStopped ? 0 : retryDelaySeconds(taken.attempt))
        })
      )
      if (said === undefined) return yield* handBack(taken, LOOK_AGAIN_SECONDS)
      yield* untilDone(`Completing the job ${name}`, unit.atomic(source.complete([taken])))
      // A job of every minute that finds nothing to do is no news.
      yield* itemsDone === 0 ? Effect.logDebug(said) : Effect.logInfo(said)
    })

    return persistently(
      `The job ${name}`,
      // A job that was taken is held here, or it would be nobody's until this process ends.
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(source.take(job.kind, 1), ([taken]) =>
          taken === undefined ? restore(next(POLL_SECONDS)) : restore(Effect.orDie(act(taken)))
        )
      )
    )
  })

/** Does these jobs as they come due. Any number of processes may: each job is done by one of them at a time. */
export const layerOf = <R>(jobs: ReadonlyArray<ScheduledJob<R>>): Layer.Layer<never, never, SchedulerPorts | R> =>
  Layer.effectDiscard(Effect.forEach(jobs, (job) => Effect.flatMap(work(job), Effect.forkScoped), { discard: true }))

/** Does the work of the scheduler. */
export const layer: Layer.Layer<never, never, SchedulerPorts | ScheduledPorts> = layerOf(SCHEDULED_JOBS)
