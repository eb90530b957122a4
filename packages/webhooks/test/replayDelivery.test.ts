/** Spec: Delivery and replay 2 and 4. */
import { EventId, EventLog, Signals, WorkspaceId } from "@agent-platform/kernel"
import { aCaller, anEvent, anId } from "@agent-platform/kernel/testing"
import { type Delivery, DeliveryQueue, DeliverySettlement, type Endpoint, Webhooks } from "@agent-platform/webhooks"
import { aDelivery, anAttempt } from "@agent-platform/webhooks/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { deliveriesDue } from "../src/jobs.ts"
import { atomic, callerOf, deliveriesTo, memory, storedEndpoint } from "./support.ts"

const LATER = DateTime.makeUnsafe("2026-11-22T08:00:00.000Z")

const storedDelivery = (endpoint: Endpoint, override: Partial<Delivery> = {}) =>
  Effect.gen(function* () {
    const event = anEvent({ organizationId: endpoint.organizationId })
    yield* EventLog.use((log) => atomic(log.append(event)))
    const delivery = aDelivery({ endpointId: endpoint.id, eventId: event.id, ...override })
    yield* DeliverySettlement.use((store) => atomic(store.insert([delivery])))
    return delivery
  })

const claimAll = DeliveryQueue.use((store) =>
  store.claimDue({ max: 9, perEndpoint: 9, perOrganization: 9, endpointLimits: new Map(), leaseSeconds: 10 })
)

const replay = (endpoint: Endpoint, eventId: EventId, caller = callerOf(endpoint)) =>
  Webhooks.use((webhooks) => webhooks.replayDelivery({ caller, endpointId: endpoint.id, eventId }))

describe("replaying a delivery", () => {
  it.effect.each([
    aDelivery({ state: "dead", stateReason: "retries_exhausted", attemptCount: 11, failures: 11, nextAttemptAt: null }),
    aDelivery({ state: "delivered", attemptCount: 1, nextAttemptAt: null, deliveredAt: LATER }),
    aDelivery({ attemptCount: 3, failures: 3, nextAttemptAt: DateTime.add(LATER, { hours: 5 }) })
  ])("makes one that is $state due now, with a fresh schedule", (before) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(LATER.epochMilliseconds)
      const endpoint = yield* storedEndpoint()
      const { endpointId: _endpoint, eventId: _event, ...state } = before
      const stored = yield* storedDelivery(endpoint, state)
      const { delivery } = yield* replay(endpoint, stored.eventId)
      assert.deepStrictEqual(delivery, {
        ...stored,
        state: "pending",
        stateReason: null,
        failures: 0,
        nextAttemptAt: LATER,
        deliveredAt: null
      })
      assert.deepStrictEqual(
        (yield* claimAll).map((claimed) => claimed.delivery),
        [delivery]
      )
    }).pipe(Effect.provide(memory))
  )

  it.effect("keeps the attempts that were made before, and answers them", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(LATER.epochMilliseconds)
      const store = yield* DeliverySettlement
      const endpoint = yield* storedEndpoint()
      const delivery = yield* storedDelivery(endpoint)
      const [claimed] = yield* claimAll
      const attempt = anAttempt()
      yield* atomic(
        store.settle([
          {
            claimToken: claimed?.claimToken ?? "",
            delivery: { ...delivery, state: "delivered", attemptCount: 1, nextAttemptAt: null, deliveredAt: LATER },
            attempt
          }
        ])
      )
      const replayed = yield* replay(endpoint, delivery.eventId)
      assert.deepStrictEqual(replayed.attempts, [attempt])
      assert.deepStrictEqual(yield* deliveriesTo(endpoint), [replayed])
    }).pipe(Effect.provide(memory))
  )

  it.effect("wakes the workers that send deliveries", () =>
    Effect.gen(function* () {
      const signals = yield* Signals
      const endpoint = yield* storedEndpoint()
      const delivery = yield* storedDelivery(endpoint)
      const next = yield* signals.listen(deliveriesDue)
      yield* replay(endpoint, delivery.eventId)
      yield* next(60)
    }).pipe(Effect.provide(memory))
  )

  it.effect("overtakes an attempt in flight, which then counts for nothing", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(LATER.epochMilliseconds)
      const store = yield* DeliverySettlement
      const endpoint = yield* storedEndpoint()
      const delivery = yield* storedDelivery(endpoint)
      const [claimed] = yield* claimAll
      yield* replay(endpoint, delivery.eventId)
      const settled = yield* atomic(
        store.settle([{ claimToken: claimed?.claimToken ?? "", delivery, attempt: anAttempt() }])
      )
      assert.isEmpty(settled)
    }).pipe(Effect.provide(memory))
  )

  it.effect("refuses on a deleted endpoint and changes nothing", () =>
    Effect.gen(function* () {
      const endpoint = yield* storedEndpoint({ status: "deleted" })
      const dead = yield* storedDelivery(endpoint, {
        state: "dead",
        stateReason: "endpoint_deleted",
        nextAttemptAt: null
      })
      assert.strictEqual((yield* Effect.flip(replay(endpoint, dead.eventId)))._tag, "EndpointInactive")
      assert.deepStrictEqual(yield* deliveriesTo(endpoint), [{ delivery: dead, attempts: [] }])
    }).pipe(Effect.provide(memory))
  )

  const replayThrough = (endpoint: Endpoint, eventId: EventId, through: Endpoint) =>
    Webhooks.use((webhooks) =>
      webhooks.replayDelivery({ caller: callerOf(endpoint), endpointId: endpoint.id, eventId, through: through.id })
    )

  const deadAtDeleted = Effect.gen(function* () {
    const deleted = yield* storedEndpoint({ status: "deleted" })
    const dead = yield* storedDelivery(deleted, {
      organizationId: deleted.organizationId,
      state: "dead",
      stateReason: "endpoint_deleted",
      nextAttemptAt: null
    })
    return { deleted, dead, organizationId: deleted.organizationId }
  })

  it.effect("sends that of a deleted endpoint through an active one, as its own delivery of the same event", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(LATER.epochMilliseconds)
      const { dead, deleted, organizationId } = yield* deadAtDeleted
      const active = yield* storedEndpoint({ organizationId, eventTypes: [dead.eventType] })
      const { attempts, delivery } = yield* replayThrough(deleted, dead.eventId, active)
      assert.isEmpty(attempts)
      assert.deepInclude(delivery, {
        endpointId: active.id,
        eventId: dead.eventId,
        eventType: dead.eventType,
        state: "pending",
        nextAttemptAt: LATER
      })
      assert.deepStrictEqual(
        (yield* claimAll).map((claimed) => [claimed.endpoint.id, claimed.delivery]),
        [[active.id, delivery]]
      )
      assert.deepStrictEqual(yield* deliveriesTo(deleted), [{ delivery: dead, attempts: [] }])
    }).pipe(Effect.provide(memory))
  )

  it.effect("sends it again where the other endpoint has had the event", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(LATER.epochMilliseconds)
      const { dead, deleted, organizationId } = yield* deadAtDeleted
      const active = yield* storedEndpoint({ organizationId })
      const had = { ...dead, endpointId: active.id, state: "delivered", stateReason: null, attemptCount: 1 } as const
      yield* DeliverySettlement.use((store) => atomic(store.insert([{ ...had, deliveredAt: LATER }])))
      const { delivery } = yield* replayThrough(deleted, dead.eventId, active)
      assert.deepInclude(delivery, { endpointId: active.id, state: "pending", attemptCount: 1, deliveredAt: null })
      assert.strictEqual((yield* deliveriesTo(active)).length, 1)
    }).pipe(Effect.provide(memory))
  )

  it.effect(
    "sends nothing through an endpoint that does not take the kind or the workspace, is not active, or is another's",
    () =>
      Effect.gen(function* () {
        const { dead, deleted, organizationId } = yield* deadAtDeleted
        const refusing = [
          ["EndpointNotSubscribed", yield* storedEndpoint({ organizationId, eventTypes: ["run.cancelled"] })],
          ["EndpointNotSubscribed", yield* storedEndpoint({ organizationId, workspaceIds: [anId(WorkspaceId)] })],
          ["EndpointInactive", yield* storedEndpoint({ organizationId, status: "disabled" })],
          ["EndpointInactive", yield* storedEndpoint({ organizationId, status: "deleted" })],
          ["EndpointInactive", deleted],
          ["EndpointNotFound", yield* storedEndpoint()]
        ] as const
        for (const [tag, endpoint] of refusing) {
          assert.strictEqual((yield* Effect.flip(replayThrough(deleted, dead.eventId, endpoint)))._tag, tag)
          if (endpoint !== deleted) assert.isEmpty(yield* deliveriesTo(endpoint))
        }
      }).pipe(Effect.provide(memory))
  )

  it.effect("knows no delivery of an event that was never for this endpoint", () =>
    Effect.gen(function* () {
      const [endpoint, other] = [yield* storedEndpoint(), yield* storedEndpoint()]
      const { eventId } = yield* storedDelivery(other)
      for (const unknown of [eventId, anId(EventId)]) {
        assert.strictEqual((yield* Effect.flip(replay(endpoint, unknown)))._tag, "DeliveryNotFound")
      }
    }).pipe(Effect.provide(memory))
  )

  it.effect("knows nothing of another organization's endpoint", () =>
    Effect.gen(function* () {
      const endpoint = yield* storedEndpoint()
      const delivery = yield* storedDelivery(endpoint)
      const refused = yield* Effect.flip(replay(endpoint, delivery.eventId, aCaller()))
      assert.strictEqual(refused._tag, "EndpointNotFound")
    }).pipe(Effect.provide(memory))
  )
})
