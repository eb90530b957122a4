import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { extendTimeout, within } from "../src/edge/within.ts"

const late = () => Effect.succeed("late")

describe("a bound", () => {
  it.effect("leaves alone what ends in time, however it ends", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* within(Effect.succeed("done"), 30, late), "done")
      assert.deepStrictEqual(yield* Effect.exit(within(Effect.fail("refused"), 30, late)), Exit.fail("refused"))
      const slow = yield* Effect.forkChild(within(Effect.as(Effect.sleep("29 seconds"), "done"), 30, late))
      yield* TestClock.adjust("29 seconds")
      assert.strictEqual(yield* Fiber.join(slow), "done")
    })
  )

  it.effect("gives up what takes longer, and does not wait for it to stop", () =>
    Effect.gen(function* () {
      const stopped = yield* Deferred.make<void>()
      const stubborn = Effect.onInterrupt(Effect.never, () => Deferred.await(stopped))
      const fiber = yield* Effect.forkChild(within(stubborn, 30, late))
      yield* TestClock.adjust("29 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(fiber), "late")
      yield* Deferred.succeed(stopped, undefined)
    })
  )

  it.effect("stops what it bounds when it is interrupted itself, and waits for that", () =>
    Effect.gen(function* () {
      let isStopped = false
      const begun = yield* Deferred.make<void>()
      const bounded = Effect.andThen(Deferred.succeed(begun, undefined), Effect.never).pipe(
        Effect.onInterrupt(() =>
          Effect.andThen(
            Effect.yieldNow,
            Effect.sync(() => (isStopped = true))
          )
        )
      )
      const fiber = yield* Effect.forkChild(within(bounded, 30, late))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      assert.isTrue(isStopped)
    })
  )

  it.effect("is kept for each of many at a time, by when each of them began", () =>
    Effect.gen(function* () {
      const first = yield* Effect.forkChild(within(Effect.never, 30, late))
      yield* TestClock.adjust("10 seconds")
      const second = yield* Effect.forkChild(within(Effect.never, 30, late))
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(yield* Fiber.join(first), "late")
      assert.isUndefined(second.pollUnsafe())
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Fiber.join(second), "late")
    })
  )

  it.effect("is kept whatever the clock of the machine is set to meanwhile", () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      let setBy = 0
      const machine: Clock.Clock = Object.assign(Object.create(clock), {
        currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + setBy
      })
      const fiber = yield* Effect.forkChild(Effect.provideService(within(Effect.never, 30, late), Clock.Clock, machine))
      yield* TestClock.adjust("10 seconds")
      setBy = 86_400_000
      yield* TestClock.adjust("10 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      setBy = -86_400_000
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(fiber.pollUnsafe()?._tag, "Success")
    })
  )
})

describe("what the caller takes or asks for", () => {
  const seconds = (given: number) => Effect.succeed(given)

  it.effect("is not counted by the bound that it is within", () =>
    Effect.gen(function* () {
      const whole = Effect.andThen(
        extendTimeout(Effect.sleep("50 seconds"), 60),
        Effect.as(Effect.sleep("29 seconds"), "done")
      )
      const fiber = yield* Effect.forkChild(within(whole, 30, seconds))
      yield* TestClock.adjust("79 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), "done")
    })
  )

  it.effect("leaves no more time to the rest than it took itself, however it ends", () =>
    Effect.gen(function* () {
      const parts = Effect.andThen(
        extendTimeout(Effect.sleep("5 seconds"), 60),
        Effect.exit(extendTimeout(Effect.fail("no"), 60))
      )
      const fiber = yield* Effect.forkChild(within(Effect.andThen(parts, Effect.never), 30, seconds))
      yield* TestClock.adjust("34 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(fiber), 35)
    })
  )

  it.effect("is given up itself when it takes longer than it may and all the rest could", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(within(extendTimeout(Effect.never, 60), 30, seconds))
      yield* TestClock.adjust("89 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(fiber), 90)
    })
  )

  it.effect("is done where nothing is bounded", () =>
    Effect.map(extendTimeout(Effect.succeed("done"), 60), (done) => assert.strictEqual(done, "done"))
  )
})
