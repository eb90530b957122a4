import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeDiscovery } from "../src/Discovery.ts"

describe("what a provider says of itself", () => {
  it.effect("is asked for again after an hour, and not before", () =>
    Effect.gen(function* () {
      let asked = 0
      const discovery = yield* makeDiscovery(Effect.sync(() => ++asked))
      assert.strictEqual(yield* discovery, 1)
      yield* TestClock.adjust("59 minutes")
      assert.strictEqual(yield* discovery, 1)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* discovery, 2)
    })
  )

  it.effect("goes on to serve while the provider is away, which is asked each time until it is back", () =>
    Effect.gen(function* () {
      let asked = 0
      const discovery = yield* makeDiscovery(
        Effect.suspend(() => (++asked === 1 || asked > 7 ? Effect.succeed(asked) : Effect.fail("away")))
      )
      yield* discovery
      yield* TestClock.adjust("1 hour")
      for (const found of [1, 1, 8]) {
        const login = yield* Effect.forkChild(discovery)
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* Fiber.join(login), found)
      }
    })
  )

  it.effect("is asked for three times before a login fails, and again by the next", () =>
    Effect.gen(function* () {
      let asked = 0
      const discovery = yield* makeDiscovery(
        Effect.suspend(() => (++asked > 3 ? Effect.succeed(asked) : Effect.fail("away")))
      )
      const first = yield* Effect.forkChild(Effect.flip(discovery))
      yield* TestClock.adjust("500 millis")
      assert.strictEqual(yield* Fiber.join(first), "away")
      assert.strictEqual(yield* discovery, 4)
    })
  )

  it.effect("is asked for once by all who come meanwhile, though the first of them goes away", () =>
    Effect.gen(function* () {
      let asked = 0
      const answer = yield* Deferred.make<number>()
      const discovery = yield* makeDiscovery(
        Effect.suspend(() => {
          asked++
          return Deferred.await(answer)
        })
      )
      const first = yield* Effect.forkChild(discovery, { startImmediately: true })
      const second = yield* Effect.forkChild(discovery, { startImmediately: true })
      yield* Fiber.interrupt(first)
      yield* Deferred.succeed(answer, 7)
      assert.strictEqual(yield* Fiber.join(second), 7)
      assert.strictEqual(asked, 1)
    })
  )
})
