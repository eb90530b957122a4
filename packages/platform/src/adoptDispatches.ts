import { defineJob, EventId, JobSource, Outbox, persistently, UnitOfWork } from "@agent-platform/kernel"
import { Effect, Schema } from "effect"

/**
 * The queue that had a job for each event before there was an outbox, until migration 22. Processes of such a release go on
 * putting jobs in until they are stopped. What one of their workers had half delivered when it was killed may be sent again.
 */
export const oldDispatch = defineJob("events.dispatch", Schema.Struct({ event_id: EventId }))

const ADOPTED_AT_ONCE = 256

/** How often it is looked for such jobs. By the clock alone: their signal is that of the outbox, raised for each event. */
const LOOK_SECONDS = 2

const adoptSome = Effect.uninterruptible(
  Effect.gen(function* () {
    const source = yield* JobSource
    const outbox = yield* Outbox
    const unit = yield* UnitOfWork
    const jobs = yield* source.take(oldDispatch, ADOPTED_AT_ONCE)
    if (jobs.length === 0) return 0
    const move = Effect.gen(function* () {
      const completed = yield* source.complete(jobs)
      yield* outbox.add(...jobs.filter(({ id }) => completed.has(id)).map(({ payload }) => payload.event_id))
    })
    yield* Effect.onError(unit.atomic(move), () => source.release(jobs))
    return jobs.length
  })
)

/** Moves events from that queue to the outbox, for as long as it runs. */
export const adoptDispatches: Effect.Effect<never, never, JobSource | Outbox | UnitOfWork> = persistently(
  "Moving events to the outbox",
  Effect.flatMap(adoptSome, (count) =>
    count < ADOPTED_AT_ONCE ? Effect.sleep(`${LOOK_SECONDS} seconds`) : Effect.void
  )
)
