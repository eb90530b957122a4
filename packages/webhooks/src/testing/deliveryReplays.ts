import { EventId } from "@agent-platform/kernel"
import { anEvent, anId } from "@agent-platform/kernel/testing"
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { Delivery } from "../Delivery.ts"
import type { Endpoint } from "../Endpoint.ts"
import type { ReplayPortion } from "../ports/DeliveryReplays.ts"
import { deliveryStore, useDeliveryStore } from "./deliveryStore.ts"
import {
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
  storeEvent,
  withNothingElsePending
} from "./storedDeliveries.ts"

/** A delivery that has no retry left. */
export const DEAD = { state: "dead", stateReason: "retries_exhausted", failures: 11, nextAttemptAt: null } as const
const DELIVERED = { state: "delivered", nextAttemptAt: null, deliveredAt: at(0) } as const

/** Replays what there is of the endpoint, dead deliveries only by default. */
export const replayPortion = (endpoint: Endpoint, override: Partial<ReplayPortion> = {}) =>
  useDeliveryStore((store) =>
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

/** How ranges of deliveries are replayed, and the count of due deliveries by which a replay keeps its pace. */
export const replayCases: Cases = (it) => {
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
      for (const delivery of dead) assert.deepStrictEqual(yield* current(delivery), Delivery.replayed(delivery, at(90)))
      for (const delivery of [delivered, pending]) assert.deepStrictEqual(yield* current(delivery), delivery)
      if (foreign !== undefined) assert.deepStrictEqual(yield* current(foreign), foreign)
    })
  )

  it.effect("replays deliveries in any state when those are asked for, and keeps their attempts", () =>
    withNothingElsePending(
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
        for (const one of all) assert.deepStrictEqual(yield* current(one), Delivery.replayed(one, at(90)))
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
    withNothingElsePending(
      Effect.gen(function* () {
        const store = yield* deliveryStore
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
