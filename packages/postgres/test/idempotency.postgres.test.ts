/** Idempotency keys that are claimed together with others. */
import { type Claim, Idempotency, IdempotencyInProgress, UnitOfWork } from "@agent-platform/kernel"
import { layerClient, layer as postgres } from "@agent-platform/postgres"
import { layerCrypto } from "@agent-platform/process"
import { assert, describe, layer as suite } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Result } from "effect"
import { freshDatabase } from "./support/database.ts"

const layer = Layer.unwrap(
  Effect.map(Effect.orDie(freshDatabase), (url) =>
    Layer.orDie(
      postgres.pipe(Layer.provideMerge(layerClient({ url, maxConnections: 4 })), Layer.provideMerge(layerCrypto))
    )
  )
)

const requestOf = (key: string) => ({ scope: "workspace", route: "POST /x", key, bodyHash: "a".repeat(64) })

describe("idempotency keys that are claimed together", () => {
  suite(layer, { excludeTestServices: true })((it) => {
    it.effect("do not lock recorded keys, which others repeat meanwhile", () =>
      Effect.gen(function* () {
        const keys = yield* Idempotency
        const unit = yield* UnitOfWork
        const [used, fresh] = [requestOf("used"), requestOf("fresh")]
        yield* unit.atomic(keys.record({ request: used, resourceId: "made" }))
        const claimed = yield* Deferred.make<ReadonlyArray<Claim>>()
        const repeated = yield* Deferred.make<void>()
        const together = yield* Effect.forkChild(
          unit.atomic(
            keys.claim(used, fresh).pipe(
              Effect.tap((claims) => Deferred.succeed(claimed, claims)),
              Effect.andThen(Deferred.await(repeated))
            )
          )
        )
        assert.deepStrictEqual(yield* Deferred.await(claimed), [Result.succeed("made"), Result.succeed(undefined)])
        assert.deepStrictEqual(yield* unit.atomic(keys.claim(used, fresh)), [
          Result.succeed("made"),
          Result.fail(new IdempotencyInProgress({ key: "fresh" }))
        ])
        yield* Deferred.succeed(repeated, undefined)
        yield* Fiber.join(together)
      })
    )
  })
})
