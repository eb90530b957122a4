import { EventId } from "@agent-platform/kernel"
import { anEvent, anId } from "@agent-platform/kernel/testing"
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { replayed } from "../Delivery.ts"
import { deleted, type Endpoint } from "../Endpoint.ts"
import { DeliveryStore, type ReplayPortion } from "../ports/DeliveryStore.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"
import { aDelivery } from "./builders.ts"
import {
  alone,
  at,
  atomic,
  attemptsOf,
  type Cases,
  claim,
  claimOne,
  current,
  identify,
  numbered,
  settle,
  settlementOf,
  storeDelivery,
  storeEndpoint,
  storeEvent
} from "./storedDeliveries.ts"

const DEAD = { state: "dead", stateReason: "retries_exhausted", failures: 11, nextAttemptAt: null } as const
const DELIVERED = { state: "delivered", nextAttemptAt: null, deliveredAt: at(0) } as const

const markDead = (endpoint: Endpoint, reason: "endpoint_deleted" | "endpoint_disabled" = "endpoint_deleted") =>
  DeliveryStore.use((store) => atomic(store.markDead(endpoint.id, reason)))

const replayPortion = (endpoint: Endpoint, override: Partial<ReplayPortion> = {}) =>
  DeliveryStore.use((store) =>
    atomic(
      store.replayPortion({
        endpointId: endpoint.id,
        after: "00000000-0000-0000-0000-000000000000",
        before: "ffffffff-ffff-ffff-ffff-ffffffffffff",
        deadOnly: true,
        limit: 100,
        now: at(90),
        ...override
      })
    )
  )

/** Dead deliveries of as many events, in the order of the events. */
const storeDead = (endpoint: Endpoint, count: number) =>
  Effect.gen(function* () {
    const ids = Array.from({ length: count }, () => anId(EventId)).sort()
    return yield* Effect.forEach(ids, (id) =>
      Effect.flatMap(storeEvent(endpoint, anEvent({ id, organizationId: endpoint.organizationId })), (event) =>
        storeDelivery(endpoint, DEAD, event)
      )
    )
  })

/** What happens to the deliveries of an endpoint as a whole. */
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
      const store = yield* DeliveryStore
      const endpoint = yield* storeEndpoint()
      const delivery = yield* storeDelivery(endpoint)
      yield* Effect.exit(
        atomic(Effect.andThen(store.markDead(endpoint.id, "endpoint_disabled"), Effect.fail("refused")))
      )
      assert.deepStrictEqual(yield* current(delivery), delivery)
    })
  )

  it.effect("leaves dead what was in flight when it was made dead, whatever the attempt comes to", () =>
    alone(
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
    alone(
      Effect.gen(function* () {
        const store = yield* DeliveryStore
        const endpoint = yield* storeEndpoint({ status: "disabled", disabledReason: "asked for" })
        const delivery = yield* storeDelivery(endpoint, { ...DEAD, stateReason: "endpoint_disabled" })
        yield* atomic(store.update(endpoint.id, delivery.eventId, (found) => replayed(found, at(1))))
        assert.deepStrictEqual((yield* claimOne()).delivery, replayed(delivery, at(1)))
      })
    )
  )

  // Whoever makes deliveries reads the endpoint with `findToAct`, whoever deletes it with `findToChange`.
  it.effect("leaves nothing pending at an endpoint that is deleted while deliveries to it are being made", () =>
    Effect.gen(function* () {
      const [endpoints, store] = [yield* EndpointStore, yield* DeliveryStore]
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
            if (found !== undefined) yield* endpoints.replace(deleted(found))
            yield* store.markDead(id, "endpoint_deleted")
          })
        )
        yield* Effect.all([make, make, remove, make, make], { concurrency: "unbounded", discard: true })
        const states = (yield* store.recent(id, 50)).map(({ delivery }) => delivery.state)
        assert.notInclude(states, "pending")
      }
    })
  )

  // Both write the same rows, each in an order of its own.
  it.effect("makes deliveries dead or due while attempts are being settled, and neither keeps the other from it", () =>
    alone(
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

  it.effect("replays the dead deliveries of one endpoint portion by portion, in the order of their events", () =>
    Effect.gen(function* () {
      const endpoint = yield* storeEndpoint()
      const [foreign] = yield* storeDead(yield* storeEndpoint(), 1)
      const dead = yield* storeDead(endpoint, 5)
      const delivered = yield* storeDelivery(endpoint, DELIVERED)
      const pending = yield* storeDelivery(endpoint, { nextAttemptAt: at(9000) })
      const ids = dead.map(({ eventId }) => eventId)
      const first = yield* replayPortion(endpoint, { limit: 3 })
      assert.deepStrictEqual(first, ids.slice(0, 3))
      assert.deepStrictEqual(yield* current(dead[3] ?? delivered), dead[3])
      assert.deepStrictEqual(yield* replayPortion(endpoint, { limit: 3, after: first[2] ?? "" }), ids.slice(3))
      for (const delivery of dead) assert.deepStrictEqual(yield* current(delivery), replayed(delivery, at(90)))
      for (const delivery of [delivered, pending]) assert.deepStrictEqual(yield* current(delivery), delivery)
      if (foreign !== undefined) assert.deepStrictEqual(yield* current(foreign), foreign)
    })
  )

  it.effect("replays deliveries in any state when those are asked for, and keeps their attempts", () =>
    alone(
      Effect.gen(function* () {
        const endpoint = yield* storeEndpoint()
        yield* storeDelivery(endpoint)
        const settlement = settlementOf(yield* claimOne())
        const { delivery } = settlement
        yield* settle(settlement)
        const others = [
          yield* storeDelivery(endpoint, DEAD),
          yield* storeDelivery(endpoint, { nextAttemptAt: at(9000) })
        ]
        const all = [delivery, ...others]
        const ids = yield* replayPortion(endpoint, { deadOnly: false })
        assert.sameMembers(
          [...ids],
          all.map(({ eventId }) => eventId)
        )
        for (const one of all) assert.deepStrictEqual(yield* current(one), replayed(one, at(90)))
        assert.deepStrictEqual(yield* attemptsOf(delivery), [numbered(settlement)])
        assert.sameMembers(identify((yield* claim()).map((claimed) => claimed.delivery)), identify(all))
      })
    )
  )

  it.effect("replays what lies between two events and neither of the two", () =>
    Effect.gen(function* () {
      const endpoint = yield* storeEndpoint()
      const ids = (yield* storeDead(endpoint, 4)).map(({ eventId }) => eventId)
      const between = yield* replayPortion(endpoint, { after: ids[0] ?? "", before: ids[3] ?? "" })
      assert.deepStrictEqual(between, ids.slice(1, 3))
    })
  )

  it.effect("keeps nothing of a portion whose transaction fails", () =>
    Effect.gen(function* () {
      const endpoint = yield* storeEndpoint()
      const [dead] = yield* storeDead(endpoint, 1)
      yield* Effect.exit(atomic(Effect.andThen(replayPortion(endpoint), Effect.fail("refused"))))
      if (dead !== undefined) assert.deepStrictEqual(yield* current(dead), dead)
    })
  )

  it.effect("gives each dead delivery to one of four who replay the same portion at once", () =>
    Effect.gen(function* () {
      const endpoint = yield* storeEndpoint()
      const dead = yield* storeDead(endpoint, 20)
      const portions = yield* Effect.forEach([1, 2, 3, 4], () => replayPortion(endpoint), { concurrency: "unbounded" })
      assert.sameMembers(
        portions.flat(),
        dead.map(({ eventId }) => eventId)
      )
    })
  )

  it.effect("counts what is due at one endpoint and claimed by nobody, as far as it is asked to", () =>
    alone(
      Effect.gen(function* () {
        const store = yield* DeliveryStore
        const endpoint = yield* storeEndpoint()
        const due = (max: number, now = at(10)) => store.countDue(endpoint.id, { max, now })
        for (let index = 0; index < 4; index++) yield* storeDelivery(endpoint, { nextAttemptAt: at(index) })
        yield* storeDelivery(endpoint, { nextAttemptAt: DateTime.add(at(10), { milliseconds: 1 }) })
        yield* storeDelivery(endpoint, DEAD)
        yield* storeDelivery(yield* storeEndpoint())
        assert.strictEqual(yield* due(100), 4)
        assert.strictEqual(yield* due(3), 3)
        assert.strictEqual(yield* due(100, at(11)), 5)
        yield* claim()
        assert.strictEqual(yield* due(100), 0)
      })
    )
  )
}
