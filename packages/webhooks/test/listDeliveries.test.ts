/** Spec: Delivery and replay 3 and 5; Limits 3. */
import { aCaller, anId } from "@agent-platform/kernel/testing"
import { DeliverySettlement, EndpointId, Webhooks } from "@agent-platform/webhooks"
import { aDelivery } from "@agent-platform/webhooks/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { atomic, callerOf, memory, register, storedEndpoint } from "./support.ts"

const storedDeliveries = (endpointId: EndpointId, count: number) =>
  Effect.gen(function* () {
    const deliveries = Array.from({ length: count }, () => aDelivery({ endpointId }))
    yield* DeliverySettlement.use((store) => atomic(store.insert(deliveries)))
    return deliveries
  })

describe("listing deliveries", () => {
  it.effect("gives the fifty most recent, newest first", () =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const { caller, endpoint } = yield* register()
      const deliveries = yield* storedDeliveries(endpoint.id, 53)
      const listed = yield* webhooks.listDeliveries({
        caller,
        endpointId: endpoint.id,
        page: { limit: 50, before: undefined }
      })
      assert.deepStrictEqual(
        listed.items.map(({ delivery }) => delivery),
        deliveries.slice(3).reverse()
      )
    }).pipe(Effect.provide(memory))
  )

  it.effect("keeps the history of a deleted endpoint", () =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const endpoint = yield* storedEndpoint({ status: "deleted" })
      yield* storedDeliveries(endpoint.id, 2)
      const listed = yield* webhooks.listDeliveries({
        caller: callerOf(endpoint),
        endpointId: endpoint.id,
        page: { limit: 50, before: undefined }
      })
      assert.strictEqual(listed.items.length, 2)
    }).pipe(Effect.provide(memory))
  )

  it.effect("knows nothing of another organization's endpoint", () =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const { caller, endpoint } = yield* register()
      for (const query of [
        { caller: aCaller(), endpointId: endpoint.id },
        { caller, endpointId: anId(EndpointId) }
      ]) {
        assert.strictEqual(
          (yield* Effect.flip(webhooks.listDeliveries({ ...query, page: { limit: 50, before: undefined } })))._tag,
          "EndpointNotFound"
        )
      }
    }).pipe(Effect.provide(memory))
  )
})
