import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Delivery } from "../Delivery.ts"
import { Endpoint } from "../Endpoint.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"
import { aDelivery } from "./builders.ts"
import { DEAD, replayCases, replayPortion } from "./deliveryReplays.ts"
import { deliveryStore, useDeliveryStore } from "./deliveryStore.ts"
import {
  at,
  atomic,
  type Cases,
  claim,
  claimOne,
  current,
  recent,
  settle,
  settlementOf,
  storeDelivery,
  storeEndpoint,
  withNothingElsePending
} from "./storedDeliveries.ts"

const DELIVERED = { state: "delivered", nextAttemptAt: null, deliveredAt: at(0) } as const

const markDead = (endpoint: Endpoint, reason: "endpoint_deleted" | "endpoint_disabled" = "endpoint_deleted") =>
  useDeliveryStore((store) => atomic(store.markDead(endpoint.id, reason)))

/** Changes of all deliveries of an endpoint. */
export const lifecycleCases: Cases = (it) => {
  it.effect("makes what is pending at one endpoint dead, and nothing else", () =>
    Effect.gen(function* () {
      const endpoint = yield* storeEndpoint()
      const other = yield* storeEndpoint({ organizationId: endpoint.organizationId })
      const due = yield* storeDelivery(endpoint)
      const later = yield* storeDelivery(endpoint, { attemptCount: 2, failures: 2, nextAttemptAt: at(9000) })
      const untouched = [
        yield* storeDelivery(endpoint, DEAD),
        yield* storeDelivery(endpoint, DELIVERED),
        yield* storeDelivery(other)
      ]
      assert.strictEqual(yield* markDead(endpoint), 2)
      for (const delivery of [due, later]) {
        assert.deepStrictEqual(yield* current(delivery), {
          ...delivery,
          state: "dead",
          stateReason: "endpoint_deleted",
          nextAttemptAt: null
        })
      }
      for (const delivery of untouched) assert.deepStrictEqual(yield* current(delivery), delivery)
      assert.strictEqual(yield* markDead(endpoint), 0)
    })
  )

  it.effect("keeps nothing of that when its transaction fails", () =>
    Effect.gen(function* () {
      const store = yield* deliveryStore
      const endpoint = yield* storeEndpoint()
      const delivery = yield* storeDelivery(endpoint)
      yield* Effect.exit(
        atomic(Effect.andThen(store.markDead(endpoint.id, "endpoint_disabled"), Effect.fail("refused")))
      )
      assert.deepStrictEqual(yield* current(delivery), delivery)
    })
  )

  it.effect("leaves dead what was in flight when it was made dead, whatever the attempt comes to", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const endpoint = yield* storeEndpoint()
        const delivery = yield* storeDelivery(endpoint)
        const failed = settlementOf(yield* claimOne(), { responseCode: 503 })
        yield* markDead(endpoint, "endpoint_disabled")
        yield* settle(failed)
        assert.deepInclude(yield* current(delivery), { state: "dead", stateReason: "endpoint_disabled" })
        assert.isEmpty(yield* claim())
      })
    )
  )

  it.effect("hands out what was replayed at a disabled endpoint", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const store = yield* deliveryStore
        const endpoint = yield* storeEndpoint({ status: "disabled", disabledReason: "asked for" })
        const delivery = yield* storeDelivery(endpoint, { ...DEAD, stateReason: "endpoint_disabled" })
        yield* atomic(store.update(endpoint.id, delivery.eventId, (found) => Delivery.replayed(found, at(1))))
        assert.deepStrictEqual((yield* claimOne()).delivery, Delivery.replayed(delivery, at(1)))
      })
    )
  )

  // Deliveries are made after `findToAct`, and endpoints are deleted after `findToChange`.
  it.effect("leaves nothing pending at an endpoint that is deleted while deliveries to it are being made", () =>
    Effect.gen(function* () {
      const [endpoints, store] = [yield* EndpointStore, yield* deliveryStore]
      for (let round = 0; round < 10; round++) {
        const { id, organizationId } = yield* storeEndpoint()
        const make = atomic(
          Effect.gen(function* () {
            const found = yield* endpoints.findToAct(organizationId, id)
            if (found?.status !== "active") return
            yield* store.insert([aDelivery({ endpointId: id, organizationId, nextAttemptAt: at(9_000_000) })])
          })
        )
        const remove = atomic(
          Effect.gen(function* () {
            const found = yield* endpoints.findToChange(organizationId, id)
            if (found !== undefined) yield* endpoints.replace(Endpoint.deleted(found))
            yield* store.markDead(id, "endpoint_deleted")
          })
        )
        yield* Effect.all([make, make, remove, make, make], { concurrency: "unbounded", discard: true })
        const states = (yield* recent(store, id, 50)).map(({ delivery }) => delivery.state)
        assert.notInclude(states, "pending")
      }
    })
  )

  // Both write the same rows, each in an order of its own.
  it.effect("makes deliveries dead or due while attempts are being settled, and neither keeps the other from it", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        for (let round = 0; round < 10; round++) {
          const endpoint = yield* storeEndpoint()
          const deliveries = yield* Effect.forEach(Array.from({ length: 40 }), () => storeDelivery(endpoint))
          const settlements = (yield* claim()).map((one) => settlementOf(one)).reverse()
          const override = round % 2 === 0 ? markDead(endpoint) : replayPortion(endpoint, { deadOnly: false })
          yield* Effect.all([settle(...settlements), override, settle(...settlements.slice(0, 20))], {
            concurrency: "unbounded"
          })
          const after = yield* Effect.forEach(deliveries, current)
          const states = after.map((delivery) => delivery?.state)
          assert.notInclude(states, round % 2 === 0 ? "pending" : "dead")
          yield* markDead(endpoint)
        }
      })
    )
  )

  replayCases(it)
}
