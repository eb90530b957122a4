/** How processes over one database learn how many of them do the same work. */
import { Peers } from "@agent-platform/kernel"
import { layerClient, PgSignals } from "@agent-platform/postgres"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { makePeerList } from "../src/peers.ts"
import { freshDatabase } from "./support/database.ts"

/** A process over the database that joins this work, what ends that, and what stops the process. */
const aProcess = Effect.fnUntraced(function* (
  url: Effect.Success<typeof freshDatabase>,
  work: string,
  maxConnections = 2
) {
  const scope = yield* Scope.make()
  yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
  const layer = Layer.fresh(Layer.provide(PgSignals.layer, layerClient({ url, maxConnections })))
  const context = yield* Layer.buildWithScope(layer, scope)
  // A process leaves its work before it closes its connections.
  const joined = yield* Scope.make()
  const leave = Scope.close(joined, Exit.void)
  yield* Effect.addFinalizer(() => leave)
  const count = yield* Effect.flatMap(Peers, ({ join }) => join(work)).pipe(
    Effect.provide(context),
    Effect.provideService(Scope.Scope, joined)
  )
  const join = (other: string) =>
    Effect.provide(
      Effect.flatMap(Peers, (peers) => peers.join(other)),
      context
    )
  return { count, join, leave, stop: Effect.andThen(leave, Scope.close(scope, Exit.void)) }
})

const until = (holds: () => boolean) =>
  Effect.gen(function* () {
    while (!holds()) yield* Effect.sleep("20 millis")
  }).pipe(Effect.timeoutOption("10 seconds"))

describe("processes over one database", () => {
  it.live("count those that do the same work, and not those that have left it", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const one = yield* aProcess(url, "sweeping")
      assert.strictEqual(one.count(), 1)
      const two = yield* aProcess(url, "sweeping")
      const other = yield* aProcess(url, "mopping")
      yield* until(() => one.count() === 2 && two.count() === 2)
      assert.deepStrictEqual([one.count(), two.count(), other.count()], [2, 2, 1])
      yield* two.leave
      yield* until(() => one.count() === 1)
      assert.strictEqual(one.count(), 1)
    }).pipe(Effect.scoped)
  )

  for (const connections of [2, 4, 10]) {
    it.live(`know of those of ${connections} connections that stop at once`, () =>
      Effect.gen(function* () {
        const url = yield* freshDatabase
        const one = yield* aProcess(url, "sweeping")
        const others = yield* Effect.forEach([1, 2, 3], () => aProcess(url, "sweeping", connections))
        yield* until(() => one.count() === 4)
        assert.strictEqual(one.count(), 4)
        for (const other of others) yield* other.stop
        // Long before they would count as gone for want of a word.
        yield* until(() => one.count() === 1)
        assert.strictEqual(one.count(), 1)
      }).pipe(Effect.scoped)
    )
  }

  it.live("take those that have joined and left at once for gone", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const one = yield* aProcess(url, "sweeping")
      const fence = yield* one.join("fence")
      const hasty = Effect.gen(function* () {
        const process = yield* aProcess(url, "mopping", 3)
        yield* Effect.scoped(process.join("sweeping"))
        // A process tells all in the order in which it came about: with this, what was before has been heard.
        yield* process.join("fence")
      })
      const count = 16
      yield* Effect.all(Array.from({ length: count }, () => hasty))
      yield* until(() => fence() === count + 1)
      assert.deepStrictEqual([fence(), one.count()], [count + 1, 1])
    }).pipe(Effect.scoped)
  )
})

describe("a process that says nothing any more", () => {
  it("counts as gone after 16 seconds, and again as here once it says so", () => {
    let now = 0
    const { count, heard } = makePeerList(
      () => now,
      (work) => work === "sweeping"
    )
    assert.isTrue(heard("a process", "here: sweeping"))
    now = 15_000
    assert.strictEqual(count("sweeping"), 1)
    now = 17_000
    assert.strictEqual(count("sweeping"), 0)
    heard("a process", "here: sweeping")
    assert.strictEqual(count("sweeping"), 1)
    assert.isTrue(heard("a process", "gone: sweeping"))
    assert.strictEqual(count("sweeping"), 0)
    // Work that this process does not do is not remembered.
    assert.isTrue(heard("a process", "here: mopping"))
    assert.strictEqual(count("mopping"), 0)
  })

  it("is no topic that others listen to", () => {
    assert.isFalse(
      makePeerList(
        () => 0,
        () => true
      ).heard("a process", "runs.ready")
    )
  })
})
