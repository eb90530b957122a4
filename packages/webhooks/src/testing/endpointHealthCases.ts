import { OrganizationId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { assert } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { Endpoint } from "../Endpoint.ts"
import type { EndpointHealth } from "../EndpointHealth.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"
import { deliveryStore, useDeliveryStore } from "./deliveryStore.ts"
import {
  at,
  atomic,
  type Cases,
  claimOne,
  storeDelivery,
  storeEndpoint,
  withNothingElsePending
} from "./storedDeliveries.ts"

const keyOf = ({ id, organizationId }: Endpoint) => ({ endpointId: id, organizationId })

const healthOf = (...endpoints: ReadonlyArray<Endpoint>) =>
  useDeliveryStore((store) => atomic(store.healthToChange(endpoints.map(keyOf))))

const save = (...health: ReadonlyArray<EndpointHealth>) => useDeliveryStore((store) => atomic(store.saveHealth(health)))

/** How the health of endpoints is kept. */
export const healthCases: Cases = (it) => {
  it.effect("knows nothing against a new endpoint", () =>
    Effect.gen(function* () {
      const endpoint = yield* storeEndpoint({ status: "disabled" })
      assert.deepStrictEqual(yield* healthOf(endpoint), [
        { ...keyOf(endpoint), status: "disabled", failingSince: null, deadNoticeAt: null }
      ])
    })
  )

  it.effect("keeps what is found out about an endpoint, and shows it to the workers that send there", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const [endpoint, other] = [yield* storeEndpoint(), yield* storeEndpoint()]
        const health = { ...keyOf(endpoint), status: "active", failingSince: at(1), deadNoticeAt: at(2) } as const
        yield* save(health)
        assert.deepStrictEqual(yield* healthOf(endpoint), [health])
        assert.deepInclude((yield* healthOf(other))[0], { failingSince: null, deadNoticeAt: null })
        yield* storeDelivery(endpoint)
        assert.deepStrictEqual((yield* claimOne()).failingSince, at(1))
        yield* save({ ...health, failingSince: null })
        assert.deepInclude((yield* healthOf(endpoint))[0], { failingSince: null, deadNoticeAt: at(2) })
      })
    )
  )

  it.effect("changes nothing else about the endpoint", () =>
    Effect.gen(function* () {
      const endpoints = yield* EndpointStore
      const endpoint = yield* storeEndpoint()
      yield* save({ ...keyOf(endpoint), status: "disabled", failingSince: at(1), deadNoticeAt: null })
      assert.deepStrictEqual(yield* endpoints.find(endpoint.organizationId, endpoint.id), endpoint)
    })
  )

  it.effect("leaves out endpoints that do not exist or belong to another organization", () =>
    Effect.gen(function* () {
      const store = yield* deliveryStore
      const endpoint = yield* storeEndpoint()
      const foreign = { endpointId: endpoint.id, organizationId: anId(OrganizationId) }
      assert.isEmpty(yield* atomic(store.healthToChange([foreign])))
    })
  )

  it.effect("keeps nothing of a health whose transaction fails", () =>
    Effect.gen(function* () {
      const store = yield* deliveryStore
      const endpoint = yield* storeEndpoint()
      const write = store.saveHealth([
        { ...keyOf(endpoint), status: "active", failingSince: at(1), deadNoticeAt: at(1) }
      ])
      yield* Effect.exit(atomic(Effect.andThen(write, Effect.fail("refused"))))
      assert.deepInclude((yield* healthOf(endpoint))[0], { failingSince: null, deadNoticeAt: null })
    })
  )

  // Deliveries are written by the endpoint's status, which must not change meanwhile.
  it.effect("makes a change of an endpoint wait until the transaction that holds its health has ended", () =>
    Effect.gen(function* () {
      const [store, endpoints] = [yield* deliveryStore, yield* EndpointStore]
      const endpoint = yield* storeEndpoint()
      const [held, over] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const steps: Array<string> = []
      const holding = yield* Effect.forkChild(
        atomic(
          Effect.gen(function* () {
            yield* store.healthToChange([keyOf(endpoint)])
            yield* Deferred.succeed(held, undefined)
            yield* Deferred.await(over)
            steps.push("written")
          })
        )
      )
      yield* Deferred.await(held)
      const deleting = yield* Effect.forkChild(
        atomic(
          Effect.gen(function* () {
            const found = yield* endpoints.findToChange(endpoint.organizationId, endpoint.id)
            steps.push("changed")
            if (found !== undefined) yield* endpoints.replace(Endpoint.deleted(found))
          })
        )
      )
      yield* Deferred.succeed(over, undefined)
      yield* Effect.all([Fiber.join(holding), Fiber.join(deleting)], { discard: true })
      assert.deepStrictEqual(steps, ["written", "changed"])
      assert.deepInclude((yield* healthOf(endpoint))[0], { status: "deleted" })
    })
  )

  it.effect("lets ten hold the same endpoints at once in any order, one after another", () =>
    Effect.gen(function* () {
      const store = yield* deliveryStore
      const keys = (yield* Effect.forEach([1, 2, 3, 4], () => storeEndpoint())).map(keyOf)
      const hold = (order: ReadonlyArray<(typeof keys)[number]>) => atomic(store.healthToChange(order))
      const found = yield* Effect.forEach(
        Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? keys : [...keys].reverse())),
        hold,
        { concurrency: "unbounded" }
      )
      for (const health of found) assert.strictEqual(health.length, 4)
    })
  )
}
