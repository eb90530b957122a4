/** In which order a worker takes what it writes, where a run saves its checkpoint and ends in the same batch. */
import { layer as kernel } from "@agent-platform/kernel/memory"
import { CheckpointStore, type Recipe, RunSettlement, Runs, startRunWorker } from "@agent-platform/runs"
import { layer as stores } from "@agent-platform/runs/memory"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Layer, Scope } from "effect"
import { aStoredAgent, layerRecipes, trigger } from "./support.ts"

describe("a run that saves its checkpoint and is handed back in one transaction", () => {
  it.live("locks its session before its row, as a cancellation does", () => {
    const order: Array<string> = []
    const noting = <A>(what: string, effect: A): A => {
      order.push(what)
      return effect
    }
    const watched = Layer.merge(
      Layer.effect(
        RunSettlement,
        RunSettlement.useSync((store) => ({ ...store, hold: (claims) => noting("hold", store.hold(claims)) }))
      ),
      Layer.effect(
        CheckpointStore,
        CheckpointStore.useSync((store) => ({ ...store, save: (state) => noting("save", store.save(state)) }))
      )
    )
    const saving = Deferred.makeUnsafe<void>()
    const recipe: Recipe = {
      name: "count",
      execute: ({ checkpoint }) =>
        Effect.gen(function* () {
          yield* Deferred.succeed(saving, undefined)
          yield* checkpoint.save("first")
          return yield* Effect.never
        })
    }
    const memory = Runs.layer.pipe(
      Layer.provideMerge(layerRecipes(recipe)),
      Layer.provideMerge(Layer.provideMerge(watched, Layer.provideMerge(stores, kernel))),
      Layer.fresh
    )
    return Effect.gen(function* () {
      const first = yield* Scope.make()
      yield* Scope.provide(startRunWorker({ drainSeconds: 0 }), first)
      yield* trigger(yield* aStoredAgent({ recipe: "count" }))
      yield* Deferred.await(saving)
      yield* Scope.close(first, Exit.void)
      assert.include(order, "save")
      assert.strictEqual(order[0], "hold")
    }).pipe(Effect.scoped, Effect.provide(memory))
  })
})
