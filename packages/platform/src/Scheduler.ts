import { JobSource, persistently, Signals, UnitOfWork } from "@agent-platform/kernel"
import { Effect, Layer } from "effect"
import { SCHEDULED_JOBS, type ScheduledJob, type ScheduledPorts } from "./jobs.ts"

/** How often a due job is looked for when no signal comes; such work is never urgent. */
const POLL_SECONDS = 15

const work = (job: ScheduledJob) =>
  Effect.gen(function* () {
    const source = yield* JobSource
    const signals = yield* Signals
    const unit = yield* UnitOfWork
    const next = yield* signals.listen(job.kind.name)
    return persistently(
      `The job ${job.kind.name}`,
      Effect.gen(function* () {
        const [taken] = yield* source.take(job.kind, 1)
        if (taken === undefined) return yield* next(POLL_SECONDS)
        const said = yield* Effect.onError(job.run, () => source.release([taken], { delaySeconds: 60 }))
        yield* unit.atomic(source.complete([taken]))
        yield* Effect.logInfo(said)
      })
    )
  })

/** Does the scheduled work as it comes due. Any number of processes may: each due job is done by one of them. */
export const layer: Layer.Layer<never, never, JobSource | Signals | ScheduledPorts> = Layer.effectDiscard(
  Effect.forEach(SCHEDULED_JOBS, (job) => Effect.flatMap(work(job), Effect.forkScoped), { discard: true })
)
