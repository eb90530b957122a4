/** Acceptances that share a transaction, over the real client, whose transactions are pipelined. */
import { atomic, Idempotency, IdempotencyInProgress } from "@agent-platform/kernel"
import { layer as kernelMemory } from "@agent-platform/kernel/memory"
import { aCaller, aTenant } from "@agent-platform/kernel/testing"
import { layerClient, layer as postgres } from "@agent-platform/postgres"
import { AgentRunner, AgentStore, makeDemo, SpendGuard } from "@agent-platform/runs"
import { acceptanceContract, anAgent } from "@agent-platform/runs/testing"
import { assert, layer as suite } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Result } from "effect"
import { freshDatabase } from "./support/database.ts"
import { layerTenants } from "./support/tenants.ts"

const layer = Layer.unwrap(
  Effect.map(freshDatabase, (url) => {
    const recipes = Layer.unwrap(Effect.map(makeDemo("full"), (demo) => AgentRunner.layer([demo])))
    return recipes.pipe(
      Layer.provideMerge(SpendGuard.layerUnmetered),
      Layer.provideMerge(Layer.merge(postgres, layerTenants)),
      Layer.provideMerge(layerClient({ url, maxConnections: 10 })),
      Layer.provideMerge(kernelMemory)
    )
  })
).pipe(Layer.orDie)

acceptanceContract("Postgres", layer)

suite(layer, { excludeTestServices: true })("acceptances that share a transaction", (it) => {
  const request = { scope: "a workspace", route: "POST /api/v1/runs/", key: "held", bodyHash: "a".repeat(64) }

  it.effect("wait neither for an agent that somebody changes nor for a key that somebody has claimed", () =>
    Effect.gen(function* () {
      const agents = yield* AgentStore
      const keys = yield* Idempotency
      const caller = aCaller(yield* aTenant())
      const [changed, free] = [anAgent(caller), anAgent(caller)]
      yield* atomic(Effect.andThen(agents.insert(changed), agents.insert(free)))
      const [held, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const holder = yield* Effect.forkChild(
        atomic(
          Effect.gen(function* () {
            yield* agents.hold(changed.workspaceId, changed.id)
            yield* keys.claim(request)
            yield* Deferred.succeed(held, undefined)
            yield* Deferred.await(release)
          })
        )
      )
      yield* Deferred.await(held)
      const [found, claims] = yield* atomic(
        Effect.all([agents.holdLive([changed, free], "skip"), keys.claim(request, { ...request, key: "free" })])
      )
      assert.deepStrictEqual(found, [undefined, free])
      const inProgress = Result.fail(new IdempotencyInProgress({ key: request.key }))
      assert.deepStrictEqual(claims, [inProgress, Result.succeed(undefined)])
      yield* Deferred.succeed(release, undefined)
      yield* Fiber.join(holder)
      assert.deepStrictEqual(yield* atomic(agents.holdLive([changed], "skip")), [changed])
    })
  )
})
