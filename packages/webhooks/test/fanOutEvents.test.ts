/** Spec: Events 1 and 4; Delivery and replay 2. */
import { bodyOf, EventId, EventLog, Outbox, WorkspaceId } from "@agent-platform/kernel"
import { aCaller, anId } from "@agent-platform/kernel/testing"
import { type Delivery, DeliverySettlement, type Endpoint, type TakenEvents } from "@agent-platform/webhooks"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fanOutEvents, type HandedOut } from "../src/use-cases/fanOutEvents.ts"
import { atomic, deliveriesTo, memory, publishEvent, register, storedEndpoint, takeEvents } from "./support.ts"

const publishAll = (organizationId: Endpoint["organizationId"], ...types: ReadonlyArray<string>) =>
  Effect.forEach(types, (type) => publishEvent(organizationId, type))

/** The deliveries of all waiting events. */
const handOut = Effect.flatMap(takeEvents, fanOutEvents)

const deliveriesIn = (handedOut: ReadonlyArray<HandedOut>): ReadonlyArray<Delivery> =>
  handedOut.flatMap(({ dead, sendable }) => [...sendable.map(({ delivery }) => delivery), ...dead])

const typesFor = (endpoint: Endpoint, handedOut: ReadonlyArray<HandedOut>) =>
  deliveriesIn(handedOut)
    .filter(({ endpointId }) => endpointId === endpoint.id)
    .map(({ eventType }) => eventType)
    .sort()

/** The same events, taken once more. */
const again = ({ events, recipients }: TakenEvents): TakenEvents => ({
  recipients,
  events: events.map(({ record, taken }) => ({ record, taken: { ...taken, attempt: taken.attempt + 1 } }))
})

const takenOf = ({ events }: TakenEvents) => events.map(({ taken }) => taken)

describe("handing events out", () => {
  it.effect("makes one pending delivery for each endpoint of the organization, all with the event's id and bytes", () =>
    Effect.gen(function* () {
      const caller = aCaller()
      const endpoints = [yield* register({ caller }), yield* register({ caller })]
      yield* register()
      const eventId = yield* publishEvent(caller.organizationId)
      const [event] = yield* EventLog.use((log) => log.find([eventId]))
      const [handedOut, ...more] = yield* handOut
      assert.isEmpty(more)
      assert.sameDeepMembers(
        handedOut?.sendable.map(({ endpoint }) => endpoint) ?? [],
        endpoints.map(({ endpoint }) => endpoint)
      )
      for (const { body, delivery, endpoint, failingSince } of handedOut?.sendable ?? []) {
        assert.strictEqual(body, event && bodyOf(event))
        assert.isNull(failingSince)
        assert.deepInclude(delivery, {
          endpointId: endpoint.id,
          eventId,
          state: "pending",
          attemptCount: 0,
          eventType: "run.succeeded"
        })
      }
      assert.isEmpty(handedOut?.dead ?? [])
    }).pipe(Effect.provide(memory))
  )

  it.effect("writes nothing: what is written, is written with what the first attempt comes to", () =>
    Effect.gen(function* () {
      const { caller, endpoint } = yield* register()
      yield* publishEvent(caller.organizationId)
      yield* handOut
      assert.isEmpty(yield* deliveriesTo(endpoint))
    }).pipe(Effect.provide(memory))
  )

  it.effect("gives an endpoint the kinds that it named, or those of the specification when it named none", () =>
    Effect.gen(function* () {
      const caller = aCaller()
      const all = yield* register({ caller, eventTypes: [] })
      const some = yield* register({ caller, eventTypes: ["run.failed", "run.cancelled"] })
      yield* publishAll(caller.organizationId, "run.succeeded", "run.failed", "workspace.cap_reached")
      const handedOut = yield* handOut
      assert.deepStrictEqual(typesFor(all.endpoint, handedOut), [
        "run.failed",
        "run.succeeded",
        "workspace.cap_reached"
      ])
      assert.deepStrictEqual(typesFor(some.endpoint, handedOut), ["run.failed"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("gives a kind that is sent by name to the endpoints that name it alone", () =>
    Effect.gen(function* () {
      const caller = aCaller()
      const all = yield* register({ caller, eventTypes: [] })
      const named = yield* register({ caller, eventTypes: ["webhook.disabled"] })
      yield* publishAll(caller.organizationId, "run.succeeded", "webhook.disabled")
      const handedOut = yield* handOut
      assert.deepStrictEqual(typesFor(all.endpoint, handedOut), ["run.succeeded"])
      assert.deepStrictEqual(typesFor(named.endpoint, handedOut), ["webhook.disabled"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("gives an endpoint that names workspaces their events alone", () =>
    Effect.gen(function* () {
      const caller = aCaller()
      const [mine, other] = [anId(WorkspaceId), anId(WorkspaceId)]
      const all = yield* register({ caller })
      const some = yield* register({ caller, workspaceIds: [mine, mine] })
      assert.deepStrictEqual(some.endpoint.workspaceIds, [mine])
      const events = []
      for (const workspaceId of [mine, other, null]) {
        events.push(yield* publishEvent(caller.organizationId, "run.failed", "x", workspaceId))
      }
      const deliveries = deliveriesIn(yield* handOut)
      const eventsFor = (endpoint: Endpoint) =>
        deliveries.filter(({ endpointId }) => endpointId === endpoint.id).map(({ eventId }) => eventId)
      assert.sameMembers(eventsFor(all.endpoint), events)
      assert.deepStrictEqual(eventsFor(some.endpoint), events.slice(0, 1))
    }).pipe(Effect.provide(memory))
  )

  it.effect("gives no pause to an endpoint that subscribed to successes alone", () =>
    Effect.gen(function* () {
      const { caller, endpoint } = yield* register({ eventTypes: ["run.succeeded"] })
      yield* publishAll(caller.organizationId, "run.paused", "run.succeeded")
      assert.deepStrictEqual(typesFor(endpoint, yield* handOut), ["run.succeeded"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("hands out the events of several organizations together, each to its own", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* register(), yield* register()]
      yield* publishAll(one.caller.organizationId, "run.failed", "run.cancelled")
      yield* publishAll(two.caller.organizationId, "run.paused")
      const handedOut = yield* handOut
      assert.strictEqual(deliveriesIn(handedOut).length, 3)
      assert.deepStrictEqual(typesFor(one.endpoint, handedOut), ["run.cancelled", "run.failed"])
      assert.deepStrictEqual(typesFor(two.endpoint, handedOut), ["run.paused"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("makes an event dead for a disabled endpoint and nothing of it for a deleted one", () =>
    Effect.gen(function* () {
      const disabled = yield* storedEndpoint({ status: "disabled" })
      yield* storedEndpoint({ status: "deleted", organizationId: disabled.organizationId })
      yield* publishEvent(disabled.organizationId)
      const [handedOut] = yield* handOut
      assert.isEmpty(handedOut?.sendable ?? [])
      const [dead, ...more] = handedOut?.dead ?? []
      assert.isEmpty(more)
      assert.deepInclude(dead, {
        endpointId: disabled.id,
        state: "dead",
        stateReason: "endpoint_disabled",
        nextAttemptAt: null
      })
    }).pipe(Effect.provide(memory))
  )

  it.effect("makes nothing of an event for which nobody waits, or which is unknown, and answers it all the same", () =>
    Effect.gen(function* () {
      yield* publishEvent(aCaller().organizationId)
      yield* Outbox.use((outbox) => atomic(outbox.add(anId(EventId))))
      const taken = yield* takeEvents
      const handedOut = yield* fanOutEvents(taken)
      assert.strictEqual(taken.events.length, 2)
      assert.deepStrictEqual(
        handedOut.map(({ event }) => event),
        takenOf(taken)
      )
      assert.isEmpty(deliveriesIn(handedOut))
    }).pipe(Effect.provide(memory))
  )

  // A worker died between the first of an event's deliveries and the last.
  it.effect("makes of an event that was handed out before only what is not written yet", () =>
    Effect.gen(function* () {
      const store = yield* DeliverySettlement
      const caller = aCaller()
      const [written, other] = [yield* register({ caller }), yield* register({ caller })]
      const dead = yield* storedEndpoint({ organizationId: caller.organizationId, status: "disabled" })
      yield* publishEvent(caller.organizationId)
      const taken = yield* takeEvents
      const first = deliveriesIn(yield* fanOutEvents(taken))
      yield* atomic(store.insert(first.filter(({ endpointId }) => endpointId !== other.endpoint.id)))
      const second = deliveriesIn(yield* fanOutEvents(again(taken)))
      assert.deepStrictEqual(
        second.map(({ endpointId }) => endpointId),
        [other.endpoint.id]
      )
      for (const endpoint of [written.endpoint, dead]) assert.strictEqual((yield* deliveriesTo(endpoint)).length, 1)
    }).pipe(Effect.provide(memory))
  )

  it.effect("completes nothing: an event leaves the outbox with the last of its deliveries", () =>
    Effect.gen(function* () {
      const { caller } = yield* register()
      yield* publishEvent(caller.organizationId)
      const taken = yield* takeEvents
      yield* fanOutEvents(taken)
      assert.strictEqual((yield* Outbox.use((outbox) => atomic(outbox.complete(takenOf(taken))))).size, 1)
    }).pipe(Effect.provide(memory))
  )
})
