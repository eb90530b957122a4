import {
  freshId,
  JobHistory,
  type JobProgress,
  type JobRunEnd,
  JobRunId,
  type JobTrigger,
  UnitOfWork,
  useCase
} from "@agent-platform/kernel"
import { Cause, Data, Effect, Exit } from "effect"
import { faultOf } from "./faultOf.ts"
import { JobUnderWay, type ScheduledJob } from "./ScheduledJob.ts"

/** How long a run is held without a sign of its holder, and how often that gives one, in seconds. */
const LEASE_SECONDS = 30
const RENEW_SECONDS = 8

/** How long the end of a run may take to be written once its process is told to stop. */
const FAREWELL = "3 seconds"

/** Another process has taken the job over: this one had given no sign of life for too long. What it did stays done. */
export class JobTakenOver extends Data.TaggedError("JobTakenOver")<{ readonly name: string }> {
  override get message() {
    return `The job ${this.name} was taken over by another process`
  }
}

/** By whom a job is done. */
export interface JobHolding {
  readonly trigger: JobTrigger
  /** How the process is called in the history. */
  readonly holder: string
  /** Is told how far the job has come. */
  readonly onProgress?: ((progress: JobProgress) => Effect.Effect<void>) | undefined
}

const endOf = (exit: Exit.Exit<string, unknown>, progress: JobProgress): JobRunEnd => {
  if (Exit.isSuccess(exit)) {
    return { status: "succeeded", itemsDone: progress.itemsDone, cursor: null, summary: exit.value, error: null }
  }
  if (Cause.hasInterruptsOnly(exit.cause)) return { status: "stopped", ...progress, summary: null, error: null }
  return { status: "failed", ...progress, summary: null, error: faultOf(exit.cause) }
}

/**
 * Does a job and remembers what came of it, from where its last run broke off. Answers what it came to. Fails with
 * JobAlreadyRunning, at once, while another does it, and with JobTakenOver; a fault of the job itself is a defect, and is
 * in the history as well.
 */
export const runJob = useCase("platform.runJob")(function* <R>(
  job: Pick<ScheduledJob<R>, "kind" | "awaits" | "run">,
  holding: JobHolding
) {
  const history = yield* JobHistory
  const unit = yield* UnitOfWork
  const { name } = job.kind
  const { holder, trigger } = holding
  const id = yield* freshId(JobRunId)
  const lease = { leaseSeconds: LEASE_SECONDS }

  const act = Effect.fnUntraced(function* (cursor: string | null) {
    let progress: JobProgress = { itemsDone: 0, cursor }
    const report = (come: JobProgress) =>
      Effect.suspend(() => {
        progress = come
        return holding.onProgress?.(come) ?? Effect.void
      })
    const renew = Effect.suspend(() => unit.atomic(history.renew(id, progress, lease))).pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.failCause(cause)
          : Effect.as(Effect.logWarning(`The run of ${name} could not be renewed`, cause), true)
      )
    )
    const holdOn = Effect.sleep(`${RENEW_SECONDS} seconds`).pipe(
      Effect.andThen(renew),
      Effect.flatMap((held) => (held ? Effect.void : new JobTakenOver({ name }))),
      Effect.forever
    )
    const run = Effect.andThen(job.awaits ?? Effect.void, job.run)
    return yield* Effect.raceFirst(Effect.provideService(run, JobUnderWay, { cursor, report }), holdOn).pipe(
      Effect.onExit((exit) =>
        // Where the end cannot be written, the run is found lost and the job is done again.
        Effect.suspend(() => unit.atomic(history.end(id, endOf(exit, progress)))).pipe(
          Effect.interruptible,
          Effect.timeoutOption(FAREWELL),
          Effect.catchCause((cause) => Effect.logWarning(`The end of ${name} could not be written`, cause))
        )
      )
    )
  })

  return yield* Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(unit.atomic(history.begin({ id, name, trigger, holder }, lease)), ({ cursor }) =>
      restore(act(cursor))
    )
  )
})
