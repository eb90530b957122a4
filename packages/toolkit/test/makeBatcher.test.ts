import { makeBatcher } from "@agent-platform/toolkit"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber } from "effect"

/** Does words together, noting which, when it is let; dies of "poison". */
const words = Effect.fnUntraced(function* (options: { readonly itemsMax?: number; readonly groupsMax?: number } = {}) {
  const groups: Array<ReadonlyArray<string>> = []
  const givenUp: Array<ReadonlyArray<string>> = []
  const gate = { open: yield* Deferred.make<void>() }
  const join = yield* makeBatcher({
    itemsMax: 10,
    groupsMax: 1,
    ...options,
    together: Effect.fnUntraced(
      function* (items: ReadonlyArray<string>) {
        groups.push(items)
        yield* Deferred.await(gate.open)
        if (items.includes("poison")) return yield* Effect.die("poisoned")
        return items.map((item) => `did ${item}`)
      },
      (effect, items) => Effect.onInterrupt(effect, () => Effect.sync(() => void givenUp.push(items)))
    )
  })
  /** As requests are: none is a child of another. */
  const ask = (...items: ReadonlyArray<string>) =>
    Effect.forEach(items, (item) => Effect.forkDetach(join(item), { startImmediately: true }))
  return { ask, gate, givenUp, groups }
})

const begun = (groups: ReadonlyArray<unknown>, count: number) =>
  Effect.gen(function* () {
    while (groups.length < count) yield* Effect.yieldNow
  })

const awaited = <A>(fibers: ReadonlyArray<Fiber.Fiber<A>>) => Effect.forEach(fibers, Fiber.await)

describe("what is done together", () => {
  it.effect("is what is asked for in one turn, and each gets its own answer", () =>
    Effect.gen(function* () {
      const { ask, gate, groups } = yield* words()
      yield* Deferred.succeed(gate.open, undefined)
      assert.deepStrictEqual(yield* awaited(yield* ask("a", "b")), [Exit.succeed("did a"), Exit.succeed("did b")])
      assert.deepStrictEqual(yield* awaited(yield* ask("c")), [Exit.succeed("did c")])
      assert.deepStrictEqual(groups, [["a", "b"], ["c"]])
    })
  )

  it.effect("is what comes while as many groups as may be are under way", () =>
    Effect.gen(function* () {
      const { ask, gate, groups } = yield* words({ groupsMax: 2 })
      const fibers = [...(yield* ask("a"))]
      yield* begun(groups, 1)
      fibers.push(...(yield* ask("b")))
      yield* begun(groups, 2)
      for (const word of ["c", "d", "e"]) {
        fibers.push(...(yield* ask(word)))
        yield* Effect.yieldNow
      }
      assert.deepStrictEqual(groups, [["a"], ["b"]])
      yield* Deferred.succeed(gate.open, undefined)
      assert.isTrue((yield* awaited(fibers)).every(Exit.isSuccess))
      assert.deepStrictEqual(groups, [["a"], ["b"], ["c", "d", "e"]])
    })
  )

  it.effect("is never more than may be, and nobody is forgotten", () =>
    Effect.gen(function* () {
      const { ask, gate, groups } = yield* words({ itemsMax: 2 })
      yield* Deferred.succeed(gate.open, undefined)
      const exits = yield* awaited(yield* ask("a", "b", "c", "d", "e"))
      assert.isTrue(exits.every(Exit.isSuccess))
      assert.deepStrictEqual(groups, [["a", "b"], ["c", "d"], ["e"]])
    })
  )

  it.effect("dies for all of a group and for nobody else", () =>
    Effect.gen(function* () {
      const { ask, gate, groups } = yield* words()
      const poisoned = yield* ask("a", "poison")
      yield* begun(groups, 1)
      const others = yield* ask("b")
      yield* Deferred.succeed(gate.open, undefined)
      for (const exit of yield* awaited(poisoned)) {
        assert.isTrue(Exit.isFailure(exit) && Cause.squash(exit.cause) === "poisoned")
      }
      assert.deepStrictEqual(yield* awaited(others), [Exit.succeed("did b")])
    })
  )

  it.effect("leaves out who was interrupted before it began", () =>
    Effect.gen(function* () {
      const { ask, gate, groups } = yield* words()
      yield* ask("a")
      yield* begun(groups, 1)
      const [hasty, patient] = yield* ask("hasty", "patient")
      yield* Fiber.interrupt(hasty!)
      yield* Deferred.succeed(gate.open, undefined)
      assert.deepStrictEqual(yield* Fiber.await(patient!), Exit.succeed("did patient"))
      assert.deepStrictEqual(groups, [["a"], ["patient"]])
    })
  )

  it.effect("goes on for whoever still waits, is given up when nobody does, and makes room for the next", () =>
    Effect.gen(function* () {
      const { ask, gate, givenUp, groups } = yield* words()
      const [one, two] = yield* ask("one", "two")
      yield* begun(groups, 1)
      const [three] = yield* ask("three")
      yield* Fiber.interrupt(one!)
      assert.isEmpty(givenUp)
      yield* Fiber.interrupt(two!)
      yield* begun(groups, 2)
      assert.deepStrictEqual(givenUp, [["one", "two"]])
      yield* Deferred.succeed(gate.open, undefined)
      assert.deepStrictEqual(yield* Fiber.await(three!), Exit.succeed("did three"))
    })
  )

  it.effect("begins no group that nobody waits for", () =>
    Effect.gen(function* () {
      const { ask, gate, groups } = yield* words()
      yield* Deferred.succeed(gate.open, undefined)
      const [hasty] = yield* ask("hasty")
      yield* Fiber.interrupt(hasty!)
      yield* awaited(yield* ask("a"))
      assert.deepStrictEqual(groups, [["a"]])
    })
  )
})
