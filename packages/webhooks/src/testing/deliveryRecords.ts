import { EventId, firstIdAt } from "@agent-platform/kernel"
import { anEvent, anId } from "@agent-platform/kernel/testing"
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { Delivery } from "../Delivery.ts"
import { EndpointId } from "../Endpoint.ts"
import type { DeliveryFilter } from "../ports/DeliveryRecords.ts"
import { aDelivery } from "./builders.ts"
import { deliveryStore } from "./deliveryStore.ts"
import {
  at,
  atomic,
  attemptsOf,
  type Cases,
  claimOne,
  current,
  FAR_FUTURE,
  numbered,
  recent,
  settle,
  settlementOf,
  storeDelivery,
  storeEndpoint,
  storeEvent,
  storeOne,
  withNothingElsePending
} from "./storedDeliveries.ts"

/** How deliveries and attempts are kept and read. */
export const recordCases: Cases = (it) => {
  it.effect("gives back a delivery exactly as it was inserted, to the millisecond", () =>
    Effect.gen(function* () {
      const endpoint = yield* storeEndpoint()
      const pending = yield* storeDelivery(endpoint, {
        attemptCount: 3,
        failures: 2,
        nextAttemptAt: DateTime.makeUnsafe("2026-11-21T23:59:59.987Z"),
        createdAt: DateTime.makeUnsafe("2026-11-21T00:00:00.001Z")
      })
      const delivered = yield* storeDelivery(endpoint, {
        state: "delivered",
        attemptCount: 1,
        nextAttemptAt: null,
        deliveredAt: DateTime.makeUnsafe("2026-11-21T05:15:00.999Z")
      })
      const dead = yield* storeDelivery(endpoint, {
        state: "dead",
        stateReason: "endpoint_disabled",
        nextAttemptAt: null
      })
      for (const delivery of [pending, delivered, dead]) assert.deepStrictEqual(yield* current(delivery), delivery)
    })
  )

  it.effect("keeps nothing of an insertion whose transaction fails", () =>
    Effect.gen(function* () {
      const store = yield* deliveryStore
      const endpoint = yield* storeEndpoint()
      const event = yield* storeEvent(endpoint)
      const delivery = aDelivery({
        endpointId: endpoint.id,
        eventId: event.id,
        organizationId: endpoint.organizationId
      })
      yield* Effect.exit(atomic(Effect.andThen(store.insert([delivery]), Effect.fail("refused"))))
      assert.isUndefined(yield* current(delivery))
    })
  )

  // An event is handed out again when a worker dies between the first of its deliveries and the last.
  it.effect("leaves a delivery and its attempts as they are when it is inserted again", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const store = yield* deliveryStore
        const endpoint = yield* storeEndpoint()
        const fresh = yield* storeDelivery(endpoint)
        const settlement = settlementOf(yield* claimOne())
        yield* settle(settlement)
        const another = aDelivery({
          endpointId: endpoint.id,
          eventId: (yield* storeEvent(endpoint)).id,
          organizationId: endpoint.organizationId
        })
        yield* atomic(store.insert([fresh, another]))
        assert.deepStrictEqual(yield* current(fresh), settlement.delivery)
        assert.deepStrictEqual(yield* attemptsOf(fresh), [numbered(settlement)])
        assert.deepStrictEqual(yield* current(another), another)
      })
    )
  )

  it.effect("lets two insertions of the same deliveries at once leave one of each", () =>
    Effect.gen(function* () {
      const store = yield* deliveryStore
      const endpoint = yield* storeEndpoint()
      const events = yield* Effect.forEach(Array.from({ length: 5 }), () => storeEvent(endpoint))
      const deliveries = events.map(({ id }) =>
        aDelivery({ endpointId: endpoint.id, eventId: id, organizationId: endpoint.organizationId })
      )
      yield* Effect.all([atomic(store.insert(deliveries)), atomic(store.insert(deliveries))], {
        concurrency: "unbounded"
      })
      assert.strictEqual((yield* recent(store, endpoint.id, 50)).length, 5)
    })
  )

  it.effect("finds nothing under another endpoint or another event", () =>
    Effect.gen(function* () {
      const store = yield* deliveryStore
      const { endpointId, eventId } = yield* storeOne
      assert.isUndefined(yield* store.find(anId(EndpointId), eventId))
      assert.isUndefined(yield* store.find(endpointId, anId(EventId)))
      assert.isEmpty(yield* store.attempts(endpointId, anId(EventId)))
    })
  )

  it.effect("keeps the deliveries of one event to two endpoints apart", () =>
    Effect.gen(function* () {
      const store = yield* deliveryStore
      const one = yield* storeEndpoint()
      const two = yield* storeEndpoint({ organizationId: one.organizationId })
      const event = yield* storeEvent(one)
      const mine = yield* storeDelivery(one, {}, event)
      const other = yield* storeDelivery(two, {}, event)
      yield* atomic(store.update(one.id, event.id, (delivery) => ({ ...delivery, nextAttemptAt: at(60) })))
      assert.deepStrictEqual(yield* current(mine), { ...mine, nextAttemptAt: at(60) })
      assert.deepStrictEqual(yield* current(other), other)
      assert.deepStrictEqual(yield* recent(store, two.id, 50), [{ delivery: other, attempts: [] }])
    })
  )

  it.effect("lists the most recent deliveries by their events, newest first", () =>
    Effect.gen(function* () {
      const store = yield* deliveryStore
      const endpoint = yield* storeEndpoint()
      const ids = Array.from({ length: 53 }, () => anId(EventId)).sort()
      // Inserted in another order than the events happened in.
      for (const id of [...ids.slice(20), ...ids.slice(0, 20)]) {
        yield* storeDelivery(
          endpoint,
          {},
          yield* storeEvent(endpoint, anEvent({ id, organizationId: endpoint.organizationId }))
        )
      }
      const listed = yield* recent(store, endpoint.id, 50)
      assert.deepStrictEqual(
        listed.map(({ delivery }) => delivery.eventId),
        ids.slice(3).reverse()
      )
    })
  )

  it.effect("lists deliveries by state, kind and time, page by page", () =>
    Effect.gen(function* () {
      const store = yield* deliveryStore
      const endpoint = yield* storeEndpoint()
      const day = (number: number) => DateTime.makeUnsafe(`2026-11-0${number}T00:00:00Z`)
      const idOn = (number: number) => EventId.make(`${firstIdAt(day(number)).slice(0, 24)}${anId(EventId).slice(24)}`)
      const kinds = ["run.failed", "run.succeeded"]
      const dead = { state: "dead", stateReason: "retries_exhausted", nextAttemptAt: null } as const
      const stored: Array<Delivery> = []
      for (let index = 0; index < 8; index++) {
        const event = anEvent({
          id: idOn(index + 1),
          organizationId: endpoint.organizationId,
          type: kinds[index % 2] as string
        })
        stored.unshift(
          yield* storeDelivery(
            endpoint,
            { eventType: event.type, ...(index < 4 ? dead : {}) },
            yield* storeEvent(endpoint, event)
          )
        )
      }
      yield* storeDelivery(yield* storeEndpoint({ organizationId: endpoint.organizationId }))
      const walk = Effect.fnUntraced(function* (filter: DeliveryFilter, limit: number) {
        const found: Array<Delivery> = []
        let before: string | undefined
        do {
          const page = yield* store.list(endpoint.id, filter, { limit, before })
          assert.isAtMost(page.items.length, limit)
          found.push(...page.items.map(({ delivery }) => delivery))
          before = page.next
        } while (before !== undefined)
        return found
      })
      const filters: ReadonlyArray<readonly [DeliveryFilter, (delivery: Delivery) => boolean]> = [
        [{}, () => true],
        [{ state: "dead" }, ({ state }) => state === "dead"],
        [{ state: "pending" }, ({ state }) => state === "pending"],
        [{ state: "delivered" }, () => false],
        [{ eventType: "run.failed" }, ({ eventType }) => eventType === "run.failed"],
        [{ since: day(3) }, ({ eventId }) => eventId >= firstIdAt(day(3))],
        [{ until: day(3) }, ({ eventId }) => eventId < firstIdAt(day(3))],
        [
          { state: "dead", eventType: "run.succeeded", since: day(2), until: day(4) },
          (delivery) => delivery.eventId === stored[6]?.eventId
        ]
      ]
      for (const [filter, passes] of filters) {
        for (const limit of [1, 3, 50]) assert.deepStrictEqual(yield* walk(filter, limit), stored.filter(passes))
      }
      assert.lengthOf(yield* walk({ state: "dead", eventType: "run.succeeded", since: day(2), until: day(4) }, 50), 1)
    })
  )

  it.effect("lists every delivery with all of its own attempts, first to last", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const store = yield* deliveryStore
        const endpoint = yield* storeEndpoint()
        const tried = yield* storeDelivery(endpoint)
        const untried = yield* storeDelivery(endpoint, { nextAttemptAt: FAR_FUTURE })
        const first = settlementOf(yield* claimOne(), { responseCode: 503, attemptedAt: at(0) })
        yield* settle(first)
        const second = settlementOf(yield* claimOne(), { responseCode: 200, attemptedAt: at(120) })
        yield* settle(second)
        assert.deepStrictEqual(yield* attemptsOf(tried), [numbered(first), numbered(second, 2)])
        assert.deepStrictEqual(yield* recent(store, endpoint.id, 50), [
          { delivery: untried, attempts: [] },
          { delivery: second.delivery, attempts: [numbered(first), numbered(second, 2)] }
        ])
      })
    )
  )

  it.effect("keeps what was answered, character by character", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const delivery = yield* storeOne
        const settlement = settlementOf(yield* claimOne(), {
          attemptedAt: DateTime.makeUnsafe("2026-11-21T12:00:00.007Z"),
          durationMillis: 15_000,
          responseCode: null,
          error: 'connect_failed: "refused" by \\ é e\u0301',
          responseExcerpt: '{"text": "💡 \u05E9\u05DC\u05D5\u05DD \u0001 \uFFFD \u2028"}\r\n\t',
          remoteIp: "2001:db8::7"
        })
        yield* settle(settlement)
        assert.deepStrictEqual(yield* attemptsOf(delivery), [numbered(settlement)])
      })
    )
  )

  it.effect("puts what a replay makes of a delivery in its place, and answers it", () =>
    Effect.gen(function* () {
      const store = yield* deliveryStore
      const endpoint = yield* storeEndpoint()
      const dead = yield* storeDelivery(endpoint, {
        state: "dead",
        stateReason: "retries_exhausted",
        attemptCount: 11,
        failures: 11,
        nextAttemptAt: null
      })
      const seen: Array<unknown> = []
      const updated = yield* atomic(
        store.update(endpoint.id, dead.eventId, (delivery) => {
          seen.push(delivery)
          return Delivery.replayed(delivery, at(5))
        })
      )
      assert.deepStrictEqual(seen, [dead])
      assert.deepStrictEqual(updated, Delivery.replayed(dead, at(5)))
      assert.deepStrictEqual(yield* current(dead), Delivery.replayed(dead, at(5)))
    })
  )

  it.effect("answers undefined when there is no delivery to replay", () =>
    Effect.gen(function* () {
      const store = yield* deliveryStore
      const { endpointId } = yield* storeOne
      assert.isUndefined(yield* atomic(store.update(endpointId, anId(EventId), (delivery) => delivery)))
    })
  )

  it.effect("keeps nothing of a replay whose transaction fails", () =>
    Effect.gen(function* () {
      const store = yield* deliveryStore
      const delivery = yield* storeOne
      const update = store.update(delivery.endpointId, delivery.eventId, (found) => Delivery.replayed(found, at(5)))
      yield* Effect.exit(atomic(Effect.andThen(update, Effect.fail("refused"))))
      assert.deepStrictEqual(yield* current(delivery), delivery)
    })
  )

  it.effect("lets ten replays at once each see what the one before it made", () =>
    Effect.gen(function* () {
      const store = yield* deliveryStore
      const delivery = yield* storeOne
      yield* Effect.forEach(
        Array.from({ length: 10 }),
        () =>
          atomic(
            store.update(delivery.endpointId, delivery.eventId, (found) => ({
              ...found,
              attemptCount: found.attemptCount + 1
            }))
          ),
        { concurrency: "unbounded" }
      )
      assert.strictEqual((yield* current(delivery))?.attemptCount, 10)
    })
  )
}
