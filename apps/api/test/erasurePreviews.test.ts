/** Counting what would be erased takes long in a large tenant: it is done in turns. */
import { RunEraser } from "@agent-platform/runs"
import { assert, layer as suite } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { anAgent, layerMemory, layerOver, TestApi } from "./support.ts"

const counting = { now: 0, most: 0, asked: 0, go: Deferred.makeUnsafe<void>() }

const slowCounts = Layer.effect(
  RunEraser,
  RunEraser.use((eraser) =>
    Effect.succeed(
      RunEraser.of({
        ...eraser,
        countRuns: (selection, max) =>
          Effect.suspend(() => {
            counting.asked++
            counting.most = Math.max(counting.most, ++counting.now)
            return Effect.andThen(Deferred.await(counting.go), eraser.countRuns(selection, max))
          }).pipe(Effect.ensuring(Effect.sync(() => counting.now--)))
      })
    )
  )
)

suite(layerOver(Layer.provideMerge(slowCounts, layerMemory)), { excludeTestServices: true })("dry runs", (it) => {
  it.effect("of an organization go one by one, and do not hold up another's", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const [tenant, other] = [yield* api.tenant, yield* api.tenant]
      const preview = Effect.fnUntraced(function* (of: typeof tenant) {
        const key = yield* api.keyWith(of, { scopes: ["data:erase"] })
        const path = `/api/v1/agents/${yield* anAgent(of)}/erase?dry_run=true`
        return yield* Effect.forkChild(api.call("POST", path, { key }))
      })
      const first = [yield* preview(tenant), yield* preview(tenant), yield* preview(tenant)]
      while (counting.asked < 1) yield* Effect.sleep("5 millis")
      const foreign = yield* preview(other)
      while (counting.asked < 2) yield* Effect.sleep("5 millis")
      yield* Deferred.succeed(counting.go, undefined)
      for (const fiber of [...first, foreign]) assert.strictEqual((yield* Fiber.join(fiber)).status, 200)
      assert.deepStrictEqual(counting, { ...counting, asked: 4, most: 2 })
    })
  )
})
