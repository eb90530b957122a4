import { aCaller } from "@agent-platform/kernel/testing"
import { type Endpoint, EndpointHealthStore, EndpointStore, Webhooks } from "@agent-platform/webhooks"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import type { EndpointChange } from "../src/use-cases/changeEndpoint.ts"
import { actionsOf, activityOf, callFor, DEAD, deliveryAt, now } from "./lifecycleSupport.ts"
import { atomic, callerOf, memory, publishedOf, register, storedEndpoint } from "./support.ts"

const AT = DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")

const update = (endpoint: Endpoint, change: EndpointChange, caller = callerOf(endpoint)) =>
  Webhooks.use((webhooks) => webhooks.updateEndpoint({ ...callFor(caller, endpoint), change }))

const stored = (endpoint: Endpoint) => EndpointStore.use((store) => store.find(endpoint.organizationId, endpoint.id))

describe("changing an endpoint", () => {
  it.effect("changes what is named and leaves the rest", () =>
    Effect.gen(function* () {
      const { caller, endpoint } = yield* register({ eventTypes: ["run.failed"], description: "alerts" })
      const url = "https://receiver.example.com/elsewhere"
      const moved = yield* update(endpoint, { url }, caller)
      assert.deepStrictEqual(moved, { ...endpoint, url })
      const changed = yield* update(endpoint, { eventTypes: ["run.paused", "run.paused"], description: null }, caller)
      assert.deepStrictEqual(changed, { ...moved, eventTypes: ["run.paused"], description: null })
      assert.deepStrictEqual(yield* stored(endpoint), changed)
    }).pipe(Effect.provide(memory))
  )

  it.effect("is in the activity feed with what was changed and the host, and is not when nothing was", () =>
    Effect.gen(function* () {
      const { caller, endpoint } = yield* register({ url: "https://receiver.example.com/token-in-path" })
      yield* update(endpoint, {}, caller)
      yield* update(endpoint, { url: endpoint.url, description: null, status: "active" }, caller)
      assert.deepStrictEqual(yield* actionsOf(caller.organizationId), ["webhook_endpoint.created"])
      yield* update(endpoint, { description: "ours", eventTypes: ["run.failed"] }, caller)
      const [, entry] = yield* activityOf(caller.organizationId)
      assert.deepInclude(entry, {
        action: "webhook_endpoint.updated",
        actor: caller.actor,
        workspaceId: null,
        resourceType: "webhook_endpoint",
        resourceId: endpoint.id,
        payload: { host: "receiver.example.com", changed: ["event_types", "description"] }
      })
      assert.notInclude(JSON.stringify(yield* activityOf(caller.organizationId)), "token-in-path")
    }).pipe(Effect.provide(memory))
  )

  it.effect("refuses a URL that is not public and keeps the one there is", () =>
    Effect.gen(function* () {
      const endpoint = yield* storedEndpoint()
      const refused = yield* Effect.flip(update(endpoint, { url: "http://receiver.example.com/", description: "x" }))
      assert.strictEqual(refused._tag, "UrlNotPublic")
      assert.deepStrictEqual(yield* stored(endpoint), endpoint)
    }).pipe(Effect.provide(memory))
  )

  it.effect("refuses on a deleted endpoint", () =>
    Effect.gen(function* () {
      const endpoint = yield* storedEndpoint({ status: "deleted" })
      for (const change of [{ description: "x" }, { status: "active" }, {}] as const) {
        assert.deepInclude(yield* Effect.flip(update(endpoint, change)), {
          _tag: "EndpointInactive",
          status: "deleted"
        })
      }
    }).pipe(Effect.provide(memory))
  )

  it.effect("knows nothing of another organization's endpoint, whatever the change", () =>
    Effect.gen(function* () {
      const endpoint = yield* storedEndpoint()
      for (const change of [{ url: "http://inside/" }, { status: "disabled" }] as const) {
        const refused = yield* Effect.flip(update(endpoint, change, aCaller()))
        assert.strictEqual(refused._tag, "EndpointNotFound")
      }
      assert.deepStrictEqual(yield* stored(endpoint), endpoint)
    }).pipe(Effect.provide(memory))
  )
})

describe("disabling an endpoint", () => {
  it.effect("makes what is pending dead with the reason, and leaves the rest", () =>
    Effect.gen(function* () {
      const endpoint = yield* storedEndpoint()
      const pending = yield* deliveryAt(endpoint, AT)
      const dead = yield* deliveryAt(endpoint, AT, DEAD)
      const off = yield* update(endpoint, { status: "disabled" })
      assert.deepStrictEqual(off, { ...endpoint, status: "disabled", disabledReason: "disabled_by_request" })
      assert.deepInclude(yield* now(pending), { state: "dead", stateReason: "endpoint_disabled", nextAttemptAt: null })
      assert.deepStrictEqual(yield* now(dead), dead)
      assert.deepStrictEqual(yield* actionsOf(endpoint.organizationId), ["webhook_endpoint.disabled"])
      const [reported] = yield* publishedOf("webhook.disabled")
      assert.deepInclude(reported, { endpoint_id: endpoint.id, url: endpoint.url, reason: "disabled_by_request" })
    }).pipe(Effect.provide(memory))
  )
})

describe("enabling an endpoint", () => {
  const enable = (endpoint: Endpoint) =>
    Webhooks.use((webhooks) => webhooks.enableEndpoint(callFor(callerOf(endpoint), endpoint)))

  it.effect("makes it active again and leaves what died meanwhile dead", () =>
    Effect.gen(function* () {
      const endpoint = yield* storedEndpoint({ status: "disabled", disabledReason: "failing" })
      const dead = yield* deliveryAt(endpoint, AT, { ...DEAD, stateReason: "endpoint_disabled" })
      assert.deepStrictEqual(yield* enable(endpoint), { ...endpoint, status: "active", disabledReason: null })
      assert.deepStrictEqual(yield* now(dead), dead)
      yield* enable(endpoint)
      assert.deepStrictEqual(yield* actionsOf(endpoint.organizationId), ["webhook_endpoint.enabled"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("begins to count failures anew, as another URL does", () =>
    Effect.gen(function* () {
      const deliveries = yield* EndpointHealthStore
      const off = yield* storedEndpoint({ status: "disabled" })
      const moved = yield* storedEndpoint()
      const kept = yield* storedEndpoint()
      const keys = [off, moved, kept].map(({ id, organizationId }) => ({ organizationId, endpointId: id }))
      const failing = yield* atomic(deliveries.healthToChange(keys))
      yield* atomic(deliveries.saveHealth(failing.map((one) => ({ ...one, failingSince: AT }))))
      yield* enable(off)
      yield* update(moved, { url: "https://receiver.example.com/elsewhere" })
      yield* update(kept, { description: "the same" })
      const since = yield* Effect.forEach(keys, (key) =>
        Effect.map(atomic(deliveries.healthToChange([key])), ([health]) => health?.failingSince)
      )
      assert.deepStrictEqual(since, [null, null, AT])
    }).pipe(Effect.provide(memory))
  )

  it.effect("refuses the eleventh active one, however many are enabled at once", () =>
    Effect.gen(function* () {
      const { organizationId } = aCaller()
      for (let count = 0; count < 7; count++) yield* storedEndpoint({ organizationId })
      const off = yield* Effect.forEach(Array.from({ length: 6 }), () =>
        storedEndpoint({ organizationId, status: "disabled" })
      )
      const results = yield* Effect.forEach(off, (endpoint) => Effect.result(enable(endpoint)), {
        concurrency: "unbounded"
      })
      const refused = results.flatMap((result) => (result._tag === "Failure" ? [result.failure] : []))
      assert.strictEqual(refused.length, 3)
      for (const failure of refused) assert.deepInclude(failure, { _tag: "EndpointLimitReached", limit: 10 })
      assert.strictEqual(yield* EndpointStore.use((store) => store.countActive(organizationId)), 10)
    }).pipe(Effect.provide(memory))
  )

  it.effect("leaves an active endpoint as it is although there are ten", () =>
    Effect.gen(function* () {
      const { organizationId } = aCaller()
      const endpoints = yield* Effect.forEach(Array.from({ length: 10 }), () => storedEndpoint({ organizationId }))
      for (const endpoint of endpoints) assert.deepStrictEqual(yield* enable(endpoint), endpoint)
    }).pipe(Effect.provide(memory))
  )
})
