/** The writes of one batch, and their consequences. Spec: Webhook delivery; Delivery and replay. */
import { Outbox } from "@agent-platform/kernel"
import { feedTables, MemoryDatabase } from "@agent-platform/kernel/memory"
import { type AttemptMade, Delivery, DeliveryEraser, DeliverySettlement, EndpointStore } from "@agent-platform/webhooks"
import { anAttempt } from "@agent-platform/webhooks/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { fanOutEvents, type HandedOut } from "../src/use-cases/fanOutEvents.ts"
import { type AttemptToSettle, type SettlementBatch, settleDeliveries } from "../src/use-cases/settleDeliveries.ts"
import {
  atomic,
  deliveriesTo,
  memory,
  publishEvent,
  publishedOf,
  register,
  storedEndpoint,
  takeEvents
} from "./support.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")
const HOUR = 3_600_000

const batch = (override: Partial<SettlementBatch>): SettlementBatch => ({
  unattempted: [],
  underWay: [],
  attempts: [],
  events: [],
  leaseSeconds: 10,
  ...override
})

const handOut = Effect.flatMap(takeEvents, fanOutEvents)

/** First attempts of all that was handed out, answered in this way. */
const attemptsOf = (handedOut: ReadonlyArray<HandedOut>, override: Partial<AttemptMade> = {}) =>
  Effect.map(DateTime.now, (attemptedAt) => {
    const { number: _, ...attempt } = anAttempt({ attemptedAt, durationMillis: 0, ...override })
    return handedOut
      .flatMap(({ sendable }) => sendable)
      .map((sent): AttemptToSettle => {
        const delivery = Delivery.afterAttempt(sent.delivery, { ...attempt, retryAfterSeconds: undefined }, 0)
        return { sent, claimToken: undefined, delivery, attempt }
      })
  })

const eventsOf = (handedOut: ReadonlyArray<HandedOut>) => handedOut.map(({ event }) => event)

/** How many of these events are still held; completing them is how the outbox is asked. */
const left = (handedOut: ReadonlyArray<HandedOut>) =>
  Outbox.use((outbox) => Effect.map(atomic(outbox.complete(eventsOf(handedOut))), (ids) => ids.size))

/** The entries of the feeds, by kind. */
const feedEntries = Effect.gen(function* () {
  const { activity, notification } = feedTables(yield* MemoryDatabase)
  return {
    activity: (yield* activity.all).filter(({ actor }) => actor.type === "system"),
    notices: yield* notification.all
  }
})

describe("settling", () => {
  it.effect("writes a delivery in its final state and takes its event out of the outbox", () =>
    Effect.gen(function* () {
      const { caller, endpoint } = yield* register()
      const eventId = yield* publishEvent(caller.organizationId)
      const handedOut = yield* handOut
      yield* settleDeliveries(batch({ attempts: yield* attemptsOf(handedOut), events: eventsOf(handedOut) }))
      const [written] = yield* deliveriesTo(endpoint)
      assert.deepInclude(written?.delivery, { eventId, state: "delivered", attemptCount: 1 })
      assert.deepInclude(written?.attempts[0], { number: 1, responseCode: 200 })
      assert.strictEqual(yield* left(handedOut), 0)
    }).pipe(Effect.provide(memory))
  )

  it.effect("leaves the event in the outbox when its deliveries cannot be written", () =>
    Effect.gen(function* () {
      const store = yield* DeliverySettlement
      const { caller, endpoint } = yield* register()
      yield* publishEvent(caller.organizationId)
      const handedOut = yield* handOut
      const away = { ...store, insertAttempted: () => Effect.die(new Error("The database is away")) }
      const settling = settleDeliveries(batch({ attempts: yield* attemptsOf(handedOut), events: eventsOf(handedOut) }))
      assert.strictEqual(
        (yield* Effect.exit(Effect.provideService(settling, DeliverySettlement, away)))._tag,
        "Failure"
      )
      assert.isEmpty(yield* deliveriesTo(endpoint))
      assert.strictEqual(yield* left(handedOut), 1)
    }).pipe(Effect.provide(memory))
  )

  it.effect("writes nothing of events that were erased while their worker stood still", () =>
    Effect.gen(function* () {
      const { caller, endpoint } = yield* register()
      for (let count = 0; count < 3; count++) yield* publishEvent(caller.organizationId)
      const [attempted, putOff, underWay] = yield* handOut
      assert.isDefined(attempted)
      const late = batch({
        attempts: yield* attemptsOf([attempted]),
        unattempted: putOff?.sendable.map(({ delivery }) => delivery) ?? [],
        underWay: underWay?.sendable.map(({ delivery }) => delivery) ?? [],
        events: eventsOf([attempted])
      })
      yield* TestClock.adjust("13 seconds")
      const what = { _tag: "Tenant", organizationId: caller.organizationId, workspaceId: null } as const
      yield* DeliveryEraser.use((eraser) => atomic(eraser.erase(what, 100)))
      assert.deepStrictEqual(yield* settleDeliveries(late), [undefined])
      assert.isEmpty(yield* deliveriesTo(endpoint))
    }).pipe(Effect.provide(memory))
  )

  it.effect.each([
    ["deleted", "endpoint_deleted"],
    ["disabled", "endpoint_disabled"]
  ] as const)("lets nothing turn pending at an endpoint that was %s meanwhile", ([status, reason]) =>
    Effect.gen(function* () {
      const endpoints = yield* EndpointStore
      const { caller, endpoint } = yield* register()
      for (let count = 0; count < 3; count++) yield* publishEvent(caller.organizationId)
      const [failed, putOff, underWay] = yield* handOut
      assert.isDefined(failed)
      yield* atomic(endpoints.replace({ ...endpoint, status }))
      const [token] = yield* settleDeliveries(
        batch({
          attempts: yield* attemptsOf([failed], { responseCode: 503 }),
          unattempted: putOff?.sendable.map(({ delivery }) => delivery) ?? [],
          underWay: underWay?.sendable.map(({ delivery }) => delivery) ?? []
        })
      )
      const written = yield* deliveriesTo(endpoint)
      assert.strictEqual(written.length, 3)
      for (const { delivery } of written) assert.deepInclude(delivery, { state: "dead", stateReason: reason })
      // An attempt under way is recorded when it has ended.
      const [late] = yield* attemptsOf(underWay === undefined ? [] : [underWay])
      assert.isDefined(late)
      yield* settleDeliveries(batch({ attempts: [{ ...late, claimToken: token }] }))
      const after = yield* deliveriesTo(endpoint)
      assert.sameMembers(
        after.map(({ attempts }) => attempts.length),
        [0, 1, 1]
      )
      for (const { delivery } of after) assert.strictEqual(delivery.state, "dead")
    }).pipe(Effect.provide(memory))
  )

  it.effect(
    "disables an endpoint after 120 hours of nothing but failures, with all that waits for it, and says so",
    () =>
      Effect.gen(function* () {
        const endpoints = yield* EndpointStore
        const { caller, endpoint } = yield* register()
        yield* TestClock.setTime(NOW.epochMilliseconds)
        const fail = Effect.gen(function* () {
          yield* publishEvent(caller.organizationId)
          const handedOut = yield* handOut
          const attempts = yield* attemptsOf(handedOut, { responseCode: 503 })
          yield* settleDeliveries(batch({ attempts, events: eventsOf(handedOut) }))
        })
        const statusNow = Effect.map(endpoints.find(caller.organizationId, endpoint.id), (found) => found?.status)
        yield* fail
        yield* TestClock.setTime(NOW.epochMilliseconds + 120 * HOUR - 1)
        yield* fail
        assert.strictEqual(yield* statusNow, "active")
        assert.isEmpty((yield* feedEntries).notices)

        yield* TestClock.setTime(NOW.epochMilliseconds + 120 * HOUR)
        yield* fail
        const disabled = yield* endpoints.find(caller.organizationId, endpoint.id)
        assert.deepInclude(disabled, { status: "disabled", disabledReason: "failing" })
        const written = yield* deliveriesTo(endpoint)
        assert.strictEqual(written.length, 3)
        for (const { delivery } of written) {
          assert.deepInclude(delivery, { state: "dead", stateReason: "endpoint_disabled", attemptCount: 1 })
        }
        const { activity, notices } = yield* feedEntries
        assert.deepInclude(activity[0], { action: "webhook_endpoint.disabled", resourceId: endpoint.id })
        assert.deepInclude(notices[0], { type: "webhook.endpoint_disabled", workspaceId: null })
        assert.deepInclude(notices[0]?.payload, { endpoint_id: endpoint.id, dead_deliveries: 3 })
        assert.strictEqual(activity.length + notices.length, 2)
        const [reported, ...more] = yield* publishedOf("webhook.disabled")
        assert.isEmpty(more)
        assert.deepInclude(reported, { endpoint_id: endpoint.id, url: endpoint.url, reason: "failing" })

        yield* fail
        assert.strictEqual((yield* feedEntries).notices.length, 1)
      }).pipe(Effect.provide(memory))
  )

  it.effect("keeps an endpoint to which something gets through once in a while", () =>
    Effect.gen(function* () {
      const endpoints = yield* EndpointStore
      const { caller, endpoint } = yield* register()
      for (let day = 0; day < 30; day++) {
        yield* TestClock.setTime(NOW.epochMilliseconds + day * 24 * HOUR)
        yield* publishEvent(caller.organizationId)
        const handedOut = yield* handOut
        const attempts = yield* attemptsOf(handedOut, { responseCode: day % 5 === 4 ? 200 : 500 })
        yield* settleDeliveries(batch({ attempts, events: eventsOf(handedOut) }))
      }
      assert.strictEqual((yield* endpoints.find(caller.organizationId, endpoint.id))?.status, "active")
    }).pipe(Effect.provide(memory))
  )

  it.effect("notifies of an endpoint's dead deliveries once an hour, however many there are", () =>
    Effect.gen(function* () {
      const { caller, endpoint } = yield* register()
      const exhaust = Effect.gen(function* () {
        for (let count = 0; count < 20; count++) yield* publishEvent(caller.organizationId)
        const handedOut = yield* handOut
        const attempts = (yield* attemptsOf(handedOut, { responseCode: 500 })).map((one): AttemptToSettle => {
          const delivery = { ...one.delivery, state: "dead", stateReason: "retries_exhausted", nextAttemptAt: null }
          return { ...one, delivery: delivery as AttemptToSettle["delivery"] }
        })
        yield* settleDeliveries(batch({ attempts, events: eventsOf(handedOut) }))
      })
      yield* TestClock.setTime(NOW.epochMilliseconds)
      yield* exhaust
      yield* exhaust
      assert.strictEqual((yield* feedEntries).notices.length, 1)
      yield* TestClock.adjust(HOUR)
      yield* exhaust
      const { notices } = yield* feedEntries
      assert.strictEqual(notices.length, 2)
      assert.deepInclude(notices[0], { type: "webhook.delivery_dead", workspaceId: null })
      assert.deepInclude(notices[0]?.payload, { endpoint_id: endpoint.id, dead_deliveries: 20 })
    }).pipe(Effect.provide(memory))
  )

  it.effect("writes what is dead from the start as it is", () =>
    Effect.gen(function* () {
      const endpoint = yield* storedEndpoint({ status: "disabled" })
      yield* publishEvent(endpoint.organizationId)
      const handedOut = yield* handOut
      yield* settleDeliveries(
        batch({ unattempted: handedOut.flatMap(({ dead }) => dead), events: eventsOf(handedOut) })
      )
      assert.deepInclude((yield* deliveriesTo(endpoint))[0]?.delivery, {
        state: "dead",
        stateReason: "endpoint_disabled",
        attemptCount: 0
      })
      assert.strictEqual(yield* left(handedOut), 0)
    }).pipe(Effect.provide(memory))
  )
})
