import { UnitOfWork } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { Data, Effect } from "effect"
import type { ScheduledJob } from "./ScheduledJob.ts"

/** Fails the transaction, so that it is undone, and carries the job's line out of it. */
class Rehearsed extends Data.TaggedError("Rehearsed")<{ readonly said: string }> {}

/**
 * Shows the outcome of a job: does it in one transaction, which is undone, and is not in the history. It costs as much as the job
 * itself and holds the job's locks until its end. Not for jobs that send requests, which could not be undone.
 */
export const rehearseJob = useCase("platform.rehearseJob")(function* <R>(job: ScheduledJob<R>) {
  const unit = yield* UnitOfWork
  yield* job.awaits ?? Effect.void
  const rehearsal = unit.atomic(Effect.flatMap(job.run, (said) => Effect.fail(new Rehearsed({ said }))))
  return yield* Effect.catch(rehearsal, ({ said }) => Effect.succeed(said))
})
