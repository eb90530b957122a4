import { Peers, restAmongPeers } from "@agent-platform/kernel"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

/** How long a process rests after a batch that took so long, in milliseconds, as one of so many. */
const restOf = (processes: number, took: Duration.Input) =>
  Effect.gen(function* () {
    const rest = yield* restAmongPeers("work")
    const startedAt = yield* Clock.currentTimeMillis
    const fiber = yield* Effect.forkChild(rest(Duration.fromInputUnsafe(took)), { startImmediately: true })
    while (fiber.pollUnsafe() === undefined) yield* TestClock.adjust("1 millis")
    yield* Fiber.join(fiber)
    return (yield* Clock.currentTimeMillis) - startedAt
  }).pipe(Effect.provideService(Peers, { join: () => Effect.succeed(() => processes) }))

describe("a rest among peers", () => {
  it.effect("is none for a process that is alone, and none where nobody knows of others", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* restOf(1, "1 second"), 0)
      const rest = yield* restAmongPeers("work")
      assert.strictEqual(rest(Duration.seconds(1)), Effect.void)
    }).pipe(Effect.scoped)
  )

  it.effect("leaves each of the others as long as the batch took, and some milliseconds", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* restOf(2, "3 millis"), 8)
      assert.strictEqual(yield* restOf(3, "3 millis"), 16)
      assert.strictEqual(yield* restOf(3, 0), 10)
    }).pipe(Effect.scoped)
  )

  it.effect("has an end, however many they are and however slow the store is", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* restOf(50, "3 millis"), 40)
      assert.strictEqual(yield* restOf(2, "1 minute"), 40)
    }).pipe(Effect.scoped)
  )
})
