/** Events that an earlier release has put into its queue. */
import { EventId, JobQueue, Outbox, UnitOfWork } from "@agent-platform/kernel"
import { layer as kernel, MemoryDatabase } from "@agent-platform/kernel/memory"
import { anId } from "@agent-platform/kernel/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { adoptDispatches, oldDispatch } from "../src/adoptDispatches.ts"

const memory = Layer.fresh(kernel)

const enqueued = (count: number) =>
  Effect.gen(function* () {
    const unit = yield* UnitOfWork
    const queue = yield* JobQueue
    const ids = Array.from({ length: count }, () => anId(EventId))
    yield* unit.atomic(Effect.forEach(ids, (event_id) => queue.enqueue(oldDispatch, { event_id })))
    return ids
  })

const outboxed = Effect.map(
  Outbox.use((outbox) => outbox.take(1_000)),
  (events) => events.map(({ id }) => id)
)

describe("events of an earlier release", () => {
  it.effect("are moved to the outbox, once each, as long as they come", () =>
    Effect.gen(function* () {
      const database = yield* MemoryDatabase
      const first = yield* enqueued(300)
      yield* Effect.forkScoped(adoptDispatches)
      const found: Array<EventId> = []
      while (found.length < first.length) {
        yield* TestClock.adjust("1 second")
        found.push(...(yield* outboxed))
      }
      assert.sameMembers(found, first)
      const second = yield* enqueued(1)
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(yield* outboxed, second)
      yield* TestClock.adjust("1 minute")
      assert.isEmpty(yield* outboxed)
      assert.isEmpty(yield* database.table("job").all)
    }).pipe(Effect.provide(memory))
  )

  it.effect("are moved though it fails at first", () =>
    Effect.gen(function* () {
      const outbox = yield* Outbox
      let tries = 0
      const adding: Outbox["Service"]["add"] = (...ids) =>
        Effect.suspend(() => (++tries < 3 ? Effect.die(new Error("The database is away")) : outbox.add(...ids)))
      const ids = yield* enqueued(2)
      yield* Effect.forkScoped(Effect.provideService(adoptDispatches, Outbox, { ...outbox, add: adding }))
      yield* TestClock.adjust("10 seconds")
      assert.sameMembers(yield* outboxed, ids)
    }).pipe(Effect.provide(memory))
  )
})
