/** When what has ended is written, and that nothing is while nothing has. */
import { UnitOfWork } from "@agent-platform/kernel"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeSettlementQueue } from "../src/worker/SettlementQueue.ts"
import { memory, publishEvent, register, takeEvents } from "./support.ts"

describe("the settlement queue", () => {
  it.effect("writes together what ends within a moment, and then nothing until something else has ended", () =>
    Effect.gen(function* () {
      const unit = yield* UnitOfWork
      let written = 0
      const counted = UnitOfWork.of({
        atomic: (effect) => {
          written++
          return unit.atomic(effect)
        }
      })
      const ignored = () => undefined
      const queue = yield* makeSettlementQueue({
        leaseSeconds: 10,
        claimed: ignored,
        settled: ignored,
        pending: ignored
      })
      const { caller } = yield* register()
      yield* publishEvent(caller.organizationId)
      yield* publishEvent(caller.organizationId)
      const [first, second] = (yield* takeEvents).events.map(({ taken }) => ({ taken, open: 0 }))
      if (first === undefined || second === undefined) return assert.fail("Two events were published")
      const settling = yield* Effect.forkChild(
        Effect.forever(queue.settleNext).pipe(Effect.provideService(UnitOfWork, counted))
      )
      queue.add({ kind: "nothing", event: first })
      yield* TestClock.adjust("10 millis")
      queue.add({ kind: "nothing", event: second })
      yield* TestClock.adjust("10 seconds")
      yield* queue.empty
      assert.strictEqual(written, 1)
      yield* Fiber.interrupt(settling)
    }).pipe(Effect.provide(memory))
  )
})
