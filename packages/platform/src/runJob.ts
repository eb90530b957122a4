import {
  freshId,
  JobHistory,
  type JobProgress,
  type JobRunEnd,
  JobRunId,
  type JobTrigger,
  UnitOfWork
} from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { Cause, Effect, Exit } from "effect"
import { faultOf } from "./faultOf.ts"
import { measureJobEnd } from "./jobMeasures.ts"
import { JobUnderWay, type ScheduledJob } from "./ScheduledJob.ts"

/** How long the end of a run may take to be written, also while its process stops. */
const END_TIMEOUT = "3 seconds"

/** The trigger of a job, the process that does it, and the listener to its progress. */
export interface JobHolding {
  readonly trigger: JobTrigger
  /** The name of the process in the history. */
  readonly holder: string
  /** Called with the progress of the job. */
  readonly onProgress?: ((progress: JobProgress) => Effect.Effect<void>) | undefined
}

const endOf = (exit: Exit.Exit<string, unknown>, progress: JobProgress): JobRunEnd => {
  if (Exit.isSuccess(exit)) {
    return { status: "succeeded", ...progress, cursor: null, summary: exit.value, error: null }
  }
  if (Cause.hasInterruptsOnly(exit.cause)) return { status: "stopped", ...progress, summary: null, error: null }
  return { status: "failed", ...progress, summary: null, error: faultOf(exit.cause) }
}

/**
 * Does a job, records the run in the history, and goes on where the last run broke off. Returns the job's summary. A fault of the job
 * is a defect, and is in the history as well. It does not keep others from doing the job at the same time; the queue does.
 */
export const runJob = useCase("platform.runJob")(function* <R>(
  job: Pick<ScheduledJob<R>, "kind" | "awaits" | "run">,
  { holder, onProgress, trigger }: JobHolding
) {
  const history = yield* JobHistory
  const unit = yield* UnitOfWork
  const { name } = job.kind
  const id = yield* freshId(JobRunId)

  const act = Effect.fnUntraced(function* (cursor: string | null) {
    let progress: JobProgress = { itemsDone: 0, itemsTotal: null, cursor }
    const report = Effect.fnUntraced(function* (latest: JobProgress) {
      progress = latest
      yield* Effect.catchCause(unit.atomic(history.note(id, latest)), (cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.failCause(cause)
          : Effect.logWarning(`How far ${name} has come could not be noted`, cause)
      )
      yield* onProgress?.(latest) ?? Effect.void
    })
    const run = Effect.andThen(job.awaits ?? Effect.void, job.run)
    return yield* Effect.onExit(Effect.provideService(run, JobUnderWay, { cursor, report }), (exit) =>
      // Where the end cannot be written, the next run marks this one as lost.
      Effect.suspend(() => {
        const end = endOf(exit, progress)
        return Effect.andThen(measureJobEnd(name, end), unit.atomic(history.end(id, end)))
      }).pipe(
        // Effects on an exit cannot be interrupted, and the timeout has to cut this one off. A shutdown still cannot: the timeout runs it
        // in a fiber of its own.
        Effect.interruptible,
        Effect.timeout(END_TIMEOUT),
        Effect.catchCause((cause) => Effect.logWarning(`The end of ${name} could not be written`, cause))
      )
    )
  })

  return yield* Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(unit.atomic(history.begin({ id, name, trigger, holder })), ({ cursor }) => restore(act(cursor)))
  )
})
