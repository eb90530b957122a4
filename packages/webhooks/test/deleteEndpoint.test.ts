/** Spec: Delivery and replay 5; Webhook endpoint 4. */
import { aCaller } from "@agent-platform/kernel/testing"
import { type Endpoint, EndpointStore, Webhooks } from "@agent-platform/webhooks"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { actionsOf, callFor, DEAD, deliveryAt, now } from "./lifecycleSupport.ts"
import { callerOf, deliveriesTo, memory, register, storedEndpoint } from "./support.ts"

const AT = DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")

const remove = (endpoint: Endpoint, caller = callerOf(endpoint)) =>
  Webhooks.use((webhooks) => webhooks.deleteEndpoint(callFor(caller, endpoint)))

describe("deleting an endpoint", () => {
  it.effect("keeps its history, makes what is pending dead and forgets its secret", () =>
    Effect.gen(function* () {
      const endpoint = yield* storedEndpoint()
      const pending = yield* deliveryAt(endpoint, AT)
      const dead = yield* deliveryAt(endpoint, AT, DEAD)
      const gone = yield* remove(endpoint)
      assert.deepStrictEqual(gone, { ...endpoint, status: "deleted", sealedSecret: "" })
      assert.deepStrictEqual(
        yield* EndpointStore.use((store) => store.find(endpoint.organizationId, endpoint.id)),
        gone
      )
      assert.deepInclude(yield* now(pending), { state: "dead", stateReason: "endpoint_deleted", nextAttemptAt: null })
      assert.deepStrictEqual(yield* now(dead), dead)
      assert.strictEqual((yield* deliveriesTo(endpoint)).length, 2)
    }).pipe(Effect.provide(memory))
  )

  it.effect("answers the same the second time, and is in the activity feed once", () =>
    Effect.gen(function* () {
      const { caller, endpoint } = yield* register()
      const first = yield* remove(endpoint, caller)
      assert.deepStrictEqual(yield* remove(endpoint, caller), first)
      assert.deepStrictEqual(yield* actionsOf(caller.organizationId), [
        "webhook_endpoint.created",
        "webhook_endpoint.deleted"
      ])
    }).pipe(Effect.provide(memory))
  )

  it.effect("lets another be registered", () =>
    Effect.gen(function* () {
      const caller = aCaller()
      const made = yield* Effect.forEach(Array.from({ length: 10 }), () => register({ caller }))
      for (const { endpoint } of made.slice(0, 1)) yield* remove(endpoint, caller)
      assert.strictEqual((yield* register({ caller })).endpoint.status, "active")
    }).pipe(Effect.provide(memory))
  )

  it.effect("knows nothing of another organization's endpoint", () =>
    Effect.gen(function* () {
      const endpoint = yield* storedEndpoint()
      assert.strictEqual((yield* Effect.flip(remove(endpoint, aCaller())))._tag, "EndpointNotFound")
      assert.deepStrictEqual(
        yield* EndpointStore.use((store) => store.find(endpoint.organizationId, endpoint.id)),
        endpoint
      )
    }).pipe(Effect.provide(memory))
  )
})
