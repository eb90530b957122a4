import { makeSignalHub, makeTurns } from "@agent-platform/toolkit"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, type Scope } from "effect"
import { TestClock } from "effect/testing"

const TOPIC = "work"

/** Work that comes with signals, and workers that take it. A look that begins sees what was there, and has it `lookMillis` later. */
const makeQueue = (lookMillis: number) => {
  const hub = makeSignalHub()
  const waiting: Array<number> = []
  const taken: Array<{ readonly by: string; readonly after: number }> = []
  const looks = new Map<string, number>()

  /** A worker that takes up to `max` at a look. */
  const worker = Effect.fnUntraced(function* (
    name: string,
    max = 10
  ): Effect.fn.Return<Fiber.Fiber<never>, never, Scope.Scope> {
    const turns = makeTurns(yield* hub.listen(TOPIC))
    const look = Effect.gen(function* () {
      yield* turns.next(1)
      looks.set(name, (looks.get(name) ?? 0) + 1)
      const found = waiting.splice(0, max)
      if (found.length > 0) turns.found()
      const now = yield* Clock.currentTimeMillis
      for (const at of found) taken.push({ by: name, after: now - at })
      yield* Effect.sleep(lookMillis)
    })
    return yield* Effect.forkScoped(Effect.forever(look))
  })

  const add = Effect.map(Clock.currentTimeMillis, (now) => {
    waiting.push(now)
    hub.wake(TOPIC)
  })

  /** Adds so many, one each `millis`, and returns who took them and how often each has looked meanwhile. */
  const load = Effect.fnUntraced(function* (count: number, millis: number) {
    taken.length = 0
    looks.clear()
    for (let added = 0; added < count; added++) {
      yield* add
      yield* TestClock.adjust(millis)
    }
    return { taken: [...taken], looks: [...looks.values()].reduce((sum, of) => sum + of, 0) }
  })
  return { worker, load, hub, looks }
}

describe("turns", () => {
  it.effect("let one of several workers look after a signal", () =>
    Effect.gen(function* () {
      const { load, worker } = makeQueue(2)
      for (const name of ["a", "b", "c"]) yield* worker(name)
      yield* load(100, 10)
      const { looks, taken } = yield* load(500, 10)
      assert.strictEqual(taken.length, 500)
      assert.isBelow(looks, 500 * 1.4)
      assert.strictEqual(taken.filter(({ after }) => after > 0).length, 0)
    })
  )

  it.effect("never delay a worker that is alone", () =>
    Effect.gen(function* () {
      // Each signal comes while it looks, so that every second look is in vain.
      const { load, worker } = makeQueue(3)
      yield* worker("a", 2)
      const { taken } = yield* load(500, 2)
      assert.strictEqual(taken.length, 500)
      assert.isAtMost(Math.max(...taken.map(({ after }) => after)), 6)
    })
  )

  it.effect("have another worker take over within the longest delay when the first one dies", () =>
    Effect.gen(function* () {
      const { load, looks, worker } = makeQueue(2)
      const fibers = new Map<string, Fiber.Fiber<never>>()
      for (const name of ["a", "b"]) fibers.set(name, yield* worker(name))
      yield* load(100, 10)
      const [first] = [...looks].sort(([, one], [, other]) => other - one)[0] ?? []
      const dying = fibers.get(first ?? "")
      if (dying !== undefined) yield* Fiber.interrupt(dying)
      const { taken } = yield* load(200, 10)
      assert.isTrue(taken.length >= 199 && taken.every(({ by }) => by !== first))
      assert.isAtMost(Math.max(...taken.map(({ after }) => after)), 70)
      assert.strictEqual(Math.max(...taken.slice(-100).map(({ after }) => after)), 0)
    })
  )

  it.effect("have all workers look at once while there is more than one of them can take", () =>
    Effect.gen(function* () {
      const { load, worker } = makeQueue(10)
      for (const name of ["a", "b", "c"]) yield* worker(name, 1)
      yield* load(100, 40)
      yield* load(300, 4)
      const { taken } = yield* load(300, 4)
      const shares = ["a", "b", "c"].map((name) => taken.filter(({ by }) => by === name).length / taken.length)
      assert.isAtLeast(Math.min(...shares), 0.1)
    })
  )

  it.effect("do not count looks by the clock as in vain", () =>
    Effect.gen(function* () {
      const { load, looks, worker } = makeQueue(2)
      yield* worker("a")
      yield* TestClock.adjust("100 seconds")
      assert.isAbove(looks.get("a") ?? 0, 50)
      const { taken } = yield* load(1, 10)
      assert.deepStrictEqual(taken, [{ by: "a", after: 0 }])
    })
  )
})
