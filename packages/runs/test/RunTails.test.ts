import { layer as kernel } from "@agent-platform/kernel/memory"
import { LOG_PAGE_BYTES, type RunEvent, RunLog, RunReader, Runs, startRunWorker } from "@agent-platform/runs"
import { layer as stores } from "@agent-platform/runs/memory"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { RunTails } from "../src/RunTails.ts"
import { aStoredAgent, ended, layerRecipes, trigger } from "./support.ts"

/** The domain over stores that count how often logs and runs are read. */
const counting = (reads: { log: number; run: number }) => {
  const counted = Layer.mergeAll(
    Layer.effect(
      RunLog,
      RunLog.use((log) =>
        Effect.succeed({
          ...log,
          read: (...args: Parameters<typeof log.read>) =>
            Effect.suspend(() => {
              reads.log++
              return log.read(...args)
            })
        })
      )
    ),
    Layer.effect(
      RunReader,
      RunReader.use((store) =>
        Effect.succeed({
          ...store,
          find: (...args: Parameters<typeof store.find>) =>
            Effect.suspend(() => {
              reads.run++
              return store.find(...args)
            })
        })
      )
    )
  ).pipe(Layer.provideMerge(stores))
  return Runs.layer.pipe(
    Layer.provideMerge(layerRecipes()),
    Layer.provideMerge(Layer.provideMerge(counted, kernel)),
    Layer.fresh
  )
}

const READERS = 500
const SAYINGS = 40

describe("many readers of one log", () => {
  it.live("all see every event, while the store is read once for all of them", () =>
    Effect.gen(function* () {
      const reads = { log: 0, run: 0 }
      yield* Effect.gen(function* () {
        const of = yield* aStoredAgent()
        const steps = Array.from({ length: SAYINGS }, (_, number) => [{ say: `${number} ` }, { sleep_ms: 15 }]).flat()
        const run = yield* trigger(of, { input: { steps } })
        const runs = yield* Runs
        let present = 0
        const allPresent = yield* Deferred.make<void>()
        const reader = Effect.gen(function* () {
          const events = yield* runs.followRunLog({ caller: of.caller, runId: run.id, after: 0 })
          return yield* Stream.runCollect(
            Stream.tap(events, (event) =>
              event.seq === 1 && ++present === READERS ? Deferred.succeed(allPresent, undefined) : Effect.void
            )
          )
        })
        const readers = yield* Effect.forEach(Array.from({ length: READERS }), () => Effect.forkChild(reader))
        yield* Deferred.await(allPresent)
        const joined = { ...reads }
        // Each has looked for the run, and read what was there before it came.
        assert.isAtMost(joined.log, 2 * READERS)
        yield* startRunWorker()
        const [first, ...others] = yield* Effect.forEach(readers, Fiber.join)
        assert.strictEqual(first?.filter(({ type }) => type === "message.delta").length, SAYINGS)
        assert.deepStrictEqual(
          first?.map(({ seq }) => seq),
          first?.map((_, place) => place + 1)
        )
        for (const seen of others) assert.deepStrictEqual(seen, first)
        // As many reads as the log grew, at most one for each event and a look or two: nothing that readers add to.
        assert.isAtMost(reads.log - joined.log, 2 * (first?.length ?? 0))
        assert.isAtMost(reads.run - joined.run, 5)
      }).pipe(Effect.scoped, Effect.provide(counting(reads)))
    })
  )

  it.live("keep little of a log in memory, however large its events are", () =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        const of = yield* aStoredAgent()
        const large = "x".repeat(60_000)
        const steps = Array.from({ length: 30 }, () => ({ say: large }))
        const run = yield* trigger(of, { input: { steps: [{ sleep_ms: 30 }, ...steps] } })
        const tail = yield* RunTails.use((tails) => tails.of(run.workspaceId, run.id))
        yield* startRunWorker()
        yield* ended(of.caller, run.id)
        const lastSeq = yield* RunLog.use((log) => log.lastSeq(run.id))
        const bytesOf = (found: unknown) => JSON.stringify(found).length
        let seen = 0
        while (seen < lastSeq) {
          const found = yield* tail.after(seen)
          if (!Array.isArray(found)) break
          assert.isBelow(bytesOf(found), 3 * LOG_PAGE_BYTES)
          seen = found.at(-1)?.seq ?? lastSeq
        }
        assert.strictEqual(yield* tail.after(1), "elsewhere")
        assert.isNotEmpty(yield* tail.after(lastSeq - 1))
      }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(RunTails.layer, counting({ log: 0, run: 0 }))))
    })
  )

  it.live("get on without one that reads slowly, which misses nothing for it", () =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        const of = yield* aStoredAgent()
        const steps = Array.from({ length: 700 }, (_, number) => ({ say: `${number} ` }))
        const run = yield* trigger(of, { input: { steps: [{ sleep_ms: 30 }, ...steps] } })
        const runs = yield* Runs
        const begun = yield* Deferred.make<void>()
        const goOn = yield* Deferred.make<void>()
        const follow = runs.followRunLog({ caller: of.caller, runId: run.id, after: 0 })
        const slow = yield* Effect.forkChild(
          Effect.flatMap(follow, (events) =>
            Stream.runCollect(
              Stream.tap(events, () => Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(goOn)))
            )
          )
        )
        yield* Deferred.await(begun)
        yield* startRunWorker()
        yield* ended(of.caller, run.id)
        const quick: ReadonlyArray<RunEvent> = yield* Effect.flatMap(follow, Stream.runCollect)
        yield* Deferred.succeed(goOn, undefined)
        assert.deepStrictEqual(yield* Fiber.join(slow), quick)
        assert.isAbove(quick.length, 700)
      }).pipe(Effect.scoped, Effect.provide(counting({ log: 0, run: 0 })))
    })
  )
})
