import { layer as kernel } from "@agent-platform/kernel/memory"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { BATCH_MAX, GATHER_SECONDS, makeGathering } from "../src/makeGathering.ts"

const numbers = Array.from({ length: 2 * BATCH_MAX + 7 }, (_, index) => index)

describe("what is gathered", () => {
  it.effect("loses the transaction that fails, and no other", () =>
    Effect.gen(function* () {
      const [written, dropped]: [Array<number>, Array<number>] = [[], []]
      const gather = yield* makeGathering<number>({
        combine: (_, later) => later,
        write: (items) =>
          items.includes(0) ? Effect.die("the database is away") : Effect.sync(() => void written.push(...items)),
        drop: (items) => Effect.sync(() => void dropped.push(...items))
      })
      for (const number of numbers) gather(`${number}`, number)
      yield* TestClock.adjust(`${GATHER_SECONDS} seconds`)
      assert.deepStrictEqual(dropped, numbers.slice(0, BATCH_MAX))
      assert.deepStrictEqual(written, numbers.slice(BATCH_MAX))
    }).pipe(Effect.scoped, Effect.provide(Layer.fresh(kernel)))
  )

  it.effect("is written once when its end interrupts a write between two transactions", () =>
    Effect.gen(function* () {
      const written: Array<number> = []
      const second = yield* Deferred.make<void>()
      let isStuck = true
      const scope = yield* Scope.make()
      const gather = yield* Scope.provide(
        makeGathering<number>({
          combine: (earlier, later) => earlier + later,
          write: (items) =>
            items.includes(0) || !isStuck
              ? Effect.sync(() => void written.push(...items))
              : Effect.andThen(Deferred.succeed(second, undefined), Effect.never),
          drop: () => Effect.void
        }),
        scope
      )
      for (const number of numbers) gather(`${number}`, number)
      yield* TestClock.adjust(`${GATHER_SECONDS} seconds`)
      yield* Deferred.await(second)
      isStuck = false
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(written, numbers)
    }).pipe(Effect.provide(Layer.fresh(kernel)))
  )
})
