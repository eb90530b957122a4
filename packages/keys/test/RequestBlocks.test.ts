/** Requests are counted by blocks, so that a busy workspace costs the shared count next to nothing. */
import { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { type LimitedWorkspace, type RateLimit, RateLimits } from "@agent-platform/keys"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { layerRateLimits } from "../src/memory/MemoryRateLimits.ts"
import { makeRequestBlocks } from "../src/RequestBlocks.ts"

const limitedTo = (rateLimit: RateLimit): LimitedWorkspace => ({
  organizationId: anId(OrganizationId),
  workspaceId: anId(WorkspaceId),
  rateLimit
})

/** Processes over one count, which notes for how many requests it is asked. */
const processes = Effect.map(RateLimits, ({ take }) => {
  const asked: Array<number> = []
  const counted: typeof take = (limited, requests) => {
    asked.push(requests)
    return take(limited, requests)
  }
  return { asked, process: () => makeRequestBlocks(counted) }
})

const times = <A>(count: number, effect: Effect.Effect<A>) =>
  Effect.forEach(Array.from({ length: count }), () => effect, { concurrency: "unbounded" })

describe("a process that counts requests", () => {
  it.effect("asks once for a hundredth of the limit, however many come at once", () =>
    Effect.gen(function* () {
      const { asked, process } = yield* processes
      const count = process()
      const limited = limitedTo({ limit: 5_000, windowSeconds: 60 })
      const readings = yield* times(100, count(limited))
      assert.deepStrictEqual(asked, [50, 50])
      assert.sameMembers(
        readings.map(({ remaining }) => remaining),
        Array.from({ length: 100 }, (_, index) => 4_999 - index)
      )
    }).pipe(Effect.provide(layerRateLimits))
  )

  it.effect("counts each request by itself where the limit is small", () =>
    Effect.gen(function* () {
      const { asked, process } = yield* processes
      const [one, other] = [process(), process()]
      const limited = limitedTo({ limit: 3, windowSeconds: 60 })
      const readings = [yield* one(limited), yield* other(limited), yield* one(limited), yield* other(limited)]
      assert.deepStrictEqual(
        readings.map(({ taken }) => taken),
        [true, true, true, false]
      )
      assert.deepStrictEqual(asked, [1, 1, 1, 1])
    }).pipe(Effect.provide(layerRateLimits))
  )

  it.effect("takes all of the limit and no more, over several processes, and asks nobody about what it refuses", () =>
    Effect.gen(function* () {
      const { asked, process } = yield* processes
      const [one, other] = [process(), process()]
      const limited = limitedTo({ limit: 1_050, windowSeconds: 60 })
      const taken = (readings: ReadonlyArray<{ readonly taken: boolean }>) => readings.filter((one) => one.taken).length
      const first = yield* times(530, one(limited))
      const second = yield* times(2_000, other(limited))
      const third = yield* times(2_000, one(limited))
      assert.strictEqual(taken(first) + taken(second) + taken(third), 1_050)
      const before = asked.length
      yield* times(100, Effect.andThen(one(limited), other(limited)))
      assert.strictEqual(asked.length, before)
      yield* TestClock.adjust("600 millis")
      assert.isTrue((yield* one(limited)).taken)
    }).pipe(Effect.provide(layerRateLimits))
  )

  it.effect("drops after the window what it did not use, and begins anew with a changed limit", () =>
    Effect.gen(function* () {
      const { asked, process } = yield* processes
      const count = process()
      const limited = limitedTo({ limit: 500, windowSeconds: 60 })
      yield* count(limited)
      yield* TestClock.adjust("60 seconds")
      yield* count(limited)
      assert.deepStrictEqual(asked, [5, 5])
      yield* count({ ...limited, rateLimit: { limit: 700, windowSeconds: 60 } })
      assert.deepStrictEqual(asked, [5, 5, 7])
    }).pipe(Effect.provide(layerRateLimits))
  )

  it.effect("refuses no longer than its refusal says, and says how long it is by then", () =>
    Effect.gen(function* () {
      const { asked, process } = yield* processes
      const count = process()
      const limited = limitedTo({ limit: 1, windowSeconds: 86_400 })
      yield* count(limited)
      yield* TestClock.adjust("23 hours")
      assert.deepInclude(yield* count(limited), { taken: false, retryAfterSeconds: 3_600 })
      yield* TestClock.adjust("30 minutes")
      assert.deepInclude(yield* count(limited), { taken: false, retryAfterSeconds: 1_800 })
      assert.deepStrictEqual(asked, [1, 1])
      yield* TestClock.adjust("30 minutes")
      assert.isTrue((yield* count(limited)).taken)
    }).pipe(Effect.provide(layerRateLimits))
  )

  it.effect("keeps the block of who counts often, however many others count meanwhile", () =>
    Effect.gen(function* () {
      const { asked, process } = yield* processes
      const count = process()
      const busy = limitedTo({ limit: 5_000, windowSeconds: 60 })
      for (let other = 0; other < 20_000; other++) {
        if (other % 5_000 === 0) yield* count(busy)
        yield* count(limitedTo({ limit: 100, windowSeconds: 60 }))
      }
      assert.strictEqual(asked.filter((requests) => requests === 50).length, 1)
    }).pipe(Effect.provide(layerRateLimits))
  )

  it.effect("has what it has asked for when the one who asks is interrupted", () =>
    Effect.gen(function* () {
      const { take } = yield* RateLimits
      const [reached, answered] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const asked: Array<number> = []
      const count = makeRequestBlocks((limited, requests) =>
        Effect.gen(function* () {
          asked.push(requests)
          const reading = yield* take(limited, requests)
          yield* Deferred.succeed(reached, undefined)
          yield* Deferred.await(answered)
          return reading
        })
      )
      const limited = limitedTo({ limit: 500, windowSeconds: 60 })
      const asking = yield* Effect.forkChild(count(limited))
      yield* Deferred.await(reached)
      const waiting = yield* Effect.forkChild(count(limited), { startImmediately: true })
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(asking), { startImmediately: true })
      yield* Deferred.succeed(answered, undefined)
      yield* Fiber.join(interrupting)
      assert.isTrue((yield* Fiber.join(waiting)).taken)
      assert.deepStrictEqual(asked, [5])
    }).pipe(Effect.provide(layerRateLimits))
  )

  it.effect("goes on for those who wait when the count fails for the one who asks", () =>
    Effect.gen(function* () {
      const { take } = yield* RateLimits
      const failed = yield* Deferred.make<void>()
      let calls = 0
      const count = makeRequestBlocks((limited, requests) =>
        ++calls === 1 ? Effect.andThen(Deferred.await(failed), Effect.die("away")) : take(limited, requests)
      )
      const limited = limitedTo({ limit: 500, windowSeconds: 60 })
      const asking = yield* Effect.forkChild(count(limited), { startImmediately: true })
      const waiting = yield* Effect.forkChild(count(limited), { startImmediately: true })
      yield* Deferred.succeed(failed, undefined)
      yield* Fiber.await(asking)
      assert.isTrue((yield* Fiber.join(waiting)).taken)
    }).pipe(Effect.provide(layerRateLimits))
  )
})
