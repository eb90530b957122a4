import { makeBatcher } from "@agent-platform/toolkit"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Duration, Effect, Exit, Fiber, Tracer } from "effect"
import { TestClock } from "effect/testing"

/** A batcher of words that notes its batches, ends them when the gate opens, and dies of "poison". */
const words = Effect.fnUntraced(function* (options: { readonly itemsMax?: number; readonly batchesMax?: number } = {}) {
  const batches: Array<ReadonlyArray<string>> = []
  const givenUp: Array<ReadonlyArray<string>> = []
  const gate = { open: yield* Deferred.make<void>() }
  const call = yield* makeBatcher({
    itemsMax: 10,
    batchesMax: 1,
    ...options,
    runBatch: Effect.fnUntraced(
      function* (items: ReadonlyArray<string>) {
        batches.push(items)
        yield* Deferred.await(gate.open)
        if (items.includes("poison")) return yield* Effect.die("poisoned")
        return items.map((item) => `did ${item}`)
      },
      (effect, items) => Effect.onInterrupt(effect, () => Effect.sync(() => void givenUp.push(items)))
    )
  })
  /** None is a child of another, as with requests. */
  const ask = (...items: ReadonlyArray<string>) =>
    Effect.forEach(items, (item) => Effect.forkDetach(call(item), { startImmediately: true }))
  return { ask, gate, givenUp, batches }
})

const begun = (batches: ReadonlyArray<unknown>, count: number) =>
  Effect.gen(function* () {
    while (batches.length < count) yield* Effect.yieldNow
  })

const awaited = <A>(fibers: ReadonlyArray<Fiber.Fiber<A>>) => Effect.forEach(fibers, Fiber.await)

describe("a batch", () => {
  it.effect("holds the calls of one turn, and each gets its own answer", () =>
    Effect.gen(function* () {
      const { ask, gate, batches } = yield* words()
      yield* Deferred.succeed(gate.open, undefined)
      assert.deepStrictEqual(yield* awaited(yield* ask("a", "b")), [Exit.succeed("did a"), Exit.succeed("did b")])
      assert.deepStrictEqual(yield* awaited(yield* ask("c")), [Exit.succeed("did c")])
      assert.deepStrictEqual(batches, [["a", "b"], ["c"]])
    })
  )

  it.effect("keeps its place while it rests, and its callers do not wait for that", () =>
    Effect.gen(function* () {
      const batches: Array<ReadonlyArray<string>> = []
      const took: Array<number> = []
      const call = yield* makeBatcher({
        itemsMax: 3,
        batchesMax: 1,
        runBatch: (items: ReadonlyArray<string>) => {
          batches.push(items)
          return Effect.as(Effect.sleep("3 millis"), items)
        },
        rest: (duration) => {
          took.push(Duration.toMillis(duration))
          return Effect.sleep("10 millis")
        }
      })
      const ask = (item: string) => Effect.forkDetach(call(item), { startImmediately: true })
      const first = yield* ask("a")
      yield* TestClock.adjust("3 millis")
      assert.strictEqual(yield* Fiber.join(first), "a")
      const [second, third] = [yield* ask("b"), yield* ask("c")]
      yield* TestClock.adjust("9 millis")
      assert.deepStrictEqual(batches, [["a"]])
      yield* TestClock.adjust("4 millis")
      assert.deepStrictEqual([yield* Fiber.join(second), yield* Fiber.join(third)], ["b", "c"])
      assert.deepStrictEqual(batches, [["a"], ["b", "c"]])
      assert.deepStrictEqual(took, [3, 3])
      // A full batch leaves nothing to gather.
      yield* TestClock.adjust("10 millis")
      for (const item of ["d", "e", "f", "g"]) yield* ask(item)
      yield* TestClock.adjust("3 millis")
      assert.deepStrictEqual(batches.slice(2), [["d", "e", "f"], ["g"]])
    })
  )

  it.effect("holds the calls that came while as many batches as allowed were under way", () =>
    Effect.gen(function* () {
      const { ask, gate, batches } = yield* words({ batchesMax: 2 })
      const fibers = [...(yield* ask("a"))]
      yield* begun(batches, 1)
      fibers.push(...(yield* ask("b")))
      yield* begun(batches, 2)
      for (const word of ["c", "d", "e"]) {
        fibers.push(...(yield* ask(word)))
        yield* Effect.yieldNow
      }
      assert.deepStrictEqual(batches, [["a"], ["b"]])
      yield* Deferred.succeed(gate.open, undefined)
      assert.isTrue((yield* awaited(fibers)).every(Exit.isSuccess))
      assert.deepStrictEqual(batches, [["a"], ["b"], ["c", "d", "e"]])
    })
  )

  it.effect("holds no more than its most, and no call is forgotten", () =>
    Effect.gen(function* () {
      const { ask, gate, batches } = yield* words({ itemsMax: 2 })
      yield* Deferred.succeed(gate.open, undefined)
      const exits = yield* awaited(yield* ask("a", "b", "c", "d", "e"))
      assert.isTrue(exits.every(Exit.isSuccess))
      assert.deepStrictEqual(batches, [["a", "b"], ["c", "d"], ["e"]])
    })
  )

  it.effect("dies for all of its calls and for no other", () =>
    Effect.gen(function* () {
      const { ask, gate, batches } = yield* words()
      const poisoned = yield* ask("a", "poison")
      yield* begun(batches, 1)
      const others = yield* ask("b")
      yield* Deferred.succeed(gate.open, undefined)
      for (const exit of yield* awaited(poisoned)) {
        assert.isTrue(Exit.isFailure(exit) && Cause.squash(exit.cause) === "poisoned")
      }
      assert.deepStrictEqual(yield* awaited(others), [Exit.succeed("did b")])
    })
  )

  it.effect("leaves out a call that was interrupted before it began", () =>
    Effect.gen(function* () {
      const { ask, gate, batches } = yield* words()
      yield* ask("a")
      yield* begun(batches, 1)
      const [hasty, patient] = yield* ask("hasty", "patient")
      yield* Fiber.interrupt(hasty!)
      yield* Deferred.succeed(gate.open, undefined)
      assert.deepStrictEqual(yield* Fiber.await(patient!), Exit.succeed("did patient"))
      assert.deepStrictEqual(batches, [["a"], ["patient"]])
    })
  )

  it.effect("goes on while one call waits, is interrupted when none does, and lets the next begin", () =>
    Effect.gen(function* () {
      const { ask, gate, givenUp, batches } = yield* words()
      const [one, two] = yield* ask("one", "two")
      yield* begun(batches, 1)
      const [three] = yield* ask("three")
      yield* Fiber.interrupt(one!)
      assert.isEmpty(givenUp)
      yield* Fiber.interrupt(two!)
      yield* begun(batches, 2)
      assert.deepStrictEqual(givenUp, [["one", "two"]])
      yield* Deferred.succeed(gate.open, undefined)
      assert.deepStrictEqual(yield* Fiber.await(three!), Exit.succeed("did three"))
    })
  )

  it.effect("is not begun for calls that nobody waits for", () =>
    Effect.gen(function* () {
      const { ask, gate, batches } = yield* words()
      yield* Deferred.succeed(gate.open, undefined)
      const [hasty] = yield* ask("hasty")
      yield* Fiber.interrupt(hasty!)
      yield* awaited(yield* ask("a"))
      assert.deepStrictEqual(batches, [["a"]])
    })
  )
})

describe("the trace of a batch", () => {
  it.effect("is that of its first caller who has one, and the other callers link to it", () => {
    const spans: Array<Tracer.NativeSpan> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    return Effect.gen(function* () {
      const call = yield* makeBatcher({
        itemsMax: 10,
        batchesMax: 1,
        runBatch: (items: ReadonlyArray<string>) => Effect.withSpan(Effect.succeed(items), "statement")
      })
      const ask = (name: string) => Effect.forkDetach(Effect.withSpan(call(name), name), { startImmediately: true })
      const fibers = [
        yield* Effect.forkDetach(call("nobody's"), { startImmediately: true }),
        yield* ask("first"),
        yield* ask("second")
      ]
      yield* awaited(fibers)
      const named = (name: string) => spans.find((span) => span.name === name)
      const [first, second, statement] = [named("first"), named("second"), named("statement")]
      assert.strictEqual(statement?.traceId, first?.traceId)
      assert.strictEqual(statement?.parent._tag === "Some" && statement.parent.value.spanId, first?.spanId)
      assert.deepStrictEqual(
        second?.links.map((link) => link.span.spanId),
        [first?.spanId]
      )
      assert.isEmpty(first?.links)
    }).pipe(Effect.withTracer(tracer))
  })
})
