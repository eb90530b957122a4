import { bodyOf, EventLog } from "@agent-platform/kernel"
import { aResponse, MemoryEgress } from "@agent-platform/kernel/memory"
import { aCaller } from "@agent-platform/kernel/testing"
import { type Endpoint, startDeliveryWorker, Webhooks } from "@agent-platform/webhooks"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import type { SendTestEvent } from "../src/use-cases/sendTestEvent.ts"
import { actionsOf, callFor } from "./lifecycleSupport.ts"
import { callerOf, deliveriesTo, kindOf, memory, register, storedEndpoint, takeEvents } from "./support.ts"

const test = (endpoint: Endpoint, override: Partial<SendTestEvent> = {}) =>
  Webhooks.use((webhooks) =>
    webhooks.sendTestEvent({
      ...callFor(callerOf(endpoint), endpoint),
      kind: kindOf("run.succeeded"),
      idempotency: undefined,
      ...override
    })
  )

describe("trying an endpoint out", () => {
  it.effect("makes a sample of the kind for this endpoint and no other, and marks it as a test", () =>
    Effect.gen(function* () {
      const eventType = "run.failed"
      const endpoint = yield* storedEndpoint({ eventTypes: ["run.paused"] })
      const other = yield* storedEndpoint({ organizationId: endpoint.organizationId })
      const { value } = yield* test(endpoint, { kind: kindOf(eventType) })
      assert.deepInclude(value, { state: "pending", eventType, endpointId: endpoint.id })
      assert.deepStrictEqual(yield* deliveriesTo(endpoint), [{ delivery: value, attempts: [] }])
      assert.isEmpty(yield* deliveriesTo(other))
      assert.isEmpty((yield* takeEvents).events)
      const [event] = yield* EventLog.use((log) => log.find([value.eventId]))
      const envelope = JSON.parse(event === undefined ? "{}" : bodyOf(event))
      assert.strictEqual(envelope.id, value.eventId)
      assert.strictEqual(envelope.type, eventType)
      assert.deepStrictEqual(envelope.data, { note: "A sample", test: true })
    }).pipe(Effect.provide(memory))
  )

  it.live("is delivered, signed like every event", () =>
    Effect.gen(function* () {
      const egress = yield* MemoryEgress
      const { endpoint } = yield* register()
      const received = yield* Deferred.make<Readonly<Record<string, string>>>()
      egress.respondWith(({ headers }) => Effect.as(Deferred.succeed(received, headers), aResponse(200)))
      yield* startDeliveryWorker()
      const { value } = yield* test(endpoint)
      const headers = yield* Deferred.await(received)
      assert.strictEqual(headers["x-service-event-id"], value.eventId)
      assert.match(headers["x-service-signature"] ?? "", /^t=\d+,v1=[0-9a-f]{64}$/)
    }).pipe(Effect.scoped, Effect.provide(memory))
  )

  it.effect("works before the endpoint is enabled again", () =>
    Effect.gen(function* () {
      const endpoint = yield* storedEndpoint({ status: "disabled", disabledReason: "failing" })
      assert.strictEqual((yield* test(endpoint)).value.state, "pending")
      assert.deepStrictEqual(yield* actionsOf(endpoint.organizationId), ["webhook_endpoint.tested"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("makes one event for one idempotency key", () =>
    Effect.gen(function* () {
      const endpoint = yield* storedEndpoint()
      const idempotency = { scope: "o", route: "test", key: "k", bodyHash: "a".repeat(64) }
      const first = yield* test(endpoint, { idempotency })
      const second = yield* test(endpoint, { idempotency })
      assert.deepStrictEqual(second, { value: first.value, replayed: true })
      assert.strictEqual((yield* deliveriesTo(endpoint)).length, 1)
    }).pipe(Effect.provide(memory))
  )

  it.effect("refuses on a deleted endpoint, and knows nothing of another organization's", () =>
    Effect.gen(function* () {
      const gone = yield* storedEndpoint({ status: "deleted" })
      assert.strictEqual((yield* Effect.flip(test(gone)))._tag, "EndpointInactive")
      const foreign = yield* storedEndpoint()
      assert.strictEqual((yield* Effect.flip(test(foreign, { caller: aCaller() })))._tag, "EndpointNotFound")
      assert.isEmpty(yield* deliveriesTo(foreign))
    }).pipe(Effect.provide(memory))
  )
})
