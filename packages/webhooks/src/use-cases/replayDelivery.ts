import {
  atomic,
  type EventId,
  EventLog,
  type EventRecord,
  type OrganizationCaller,
  Signals
} from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { recordEndpointAct } from "../activity.ts"
import { Delivery, DeliveryNotFound, newDelivery } from "../Delivery.ts"
import {
  type Endpoint,
  type EndpointId,
  EndpointInactive,
  EndpointNotFound,
  EndpointNotSubscribed,
  subscribes
} from "../Endpoint.ts"
import { deliveriesDue } from "../jobs.ts"
import { DeliveryLifecycle } from "../ports/DeliveryLifecycle.ts"
import { DeliveryRecords } from "../ports/DeliveryRecords.ts"
import { DeliverySettlement } from "../ports/DeliverySettlement.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"

export interface ReplayDelivery {
  readonly caller: OrganizationCaller
  readonly endpointId: EndpointId
  readonly eventId: EventId
  /** The endpoint that it is sent to; the delivery's own one unless given. */
  readonly through?: EndpointId | undefined
}

/** The endpoint that the event is sent to: the delivery's own unless it is deleted, or `through`, if active and subscribed. */
const targetOf = Effect.fnUntraced(function* (endpoint: Endpoint, event: EventRecord, through: EndpointId | undefined) {
  if (through === undefined || through === endpoint.id) {
    return endpoint.status === "deleted" ? yield* new EndpointInactive({ status: endpoint.status }) : endpoint
  }
  const target = yield* EndpointStore.use((store) => store.findToAct(endpoint.organizationId, through))
  if (target === undefined) return yield* new EndpointNotFound()
  if (target.status !== "active") return yield* new EndpointInactive({ status: target.status })
  return subscribes(target, event) ? target : yield* new EndpointNotSubscribed({ eventType: event.type })
})

/** Makes the endpoint's delivery of the event due; `insert` adds one only where the endpoint has none of that event yet. */
const makeDue = Effect.fnUntraced(function* (endpoint: Endpoint, { eventId, eventType }: Delivery) {
  const lifecycle = yield* DeliveryLifecycle
  const deliveries = yield* DeliverySettlement
  const now = yield* DateTime.now
  yield* deliveries.insert([newDelivery(endpoint, { id: eventId, type: eventType }, now)])
  const found = yield* lifecycle.update(endpoint.id, eventId, (delivery) => Delivery.replayed(delivery, now))
  return found ?? (yield* new DeliveryNotFound())
})

const replay = Effect.fnUntraced(function* ({ caller, endpointId, eventId, through }: ReplayDelivery) {
  const endpoints = yield* EndpointStore
  const records = yield* DeliveryRecords
  const signals = yield* Signals
  const endpoint = yield* endpoints.findToAct(caller.organizationId, endpointId)
  if (endpoint === undefined) return yield* new EndpointNotFound()
  const known = yield* records.find(endpoint.id, eventId)
  if (known === undefined) return yield* new DeliveryNotFound()
  // Locked before anything is written, since an erasure locks the event first as well. An erased event has no delivery any more.
  const event = yield* EventLog.use((log) => log.hold(eventId))
  if (event === undefined) return yield* new DeliveryNotFound()
  const target = yield* targetOf(endpoint, event, through)
  const delivery = yield* makeDue(target, known)
  yield* recordEndpointAct(caller.actor, target, "replayed", { event_id: eventId })
  yield* signals.raise(deliveriesDue)
  return delivery
}, atomic)

/**
 * Sends a delivery again, with the same event id and the same bytes: a dead or delivered one starts over, a pending one
 * becomes due now. A disabled endpoint is sent it, too, so that a receiver can be tried before it is enabled. With `through` it goes
 * to that endpoint instead, as a delivery of that endpoint and under its secret; the delivery of a deleted endpoint can only go so.
 * Fails with EndpointInactive for a deleted endpoint, or where `through` is not active, and with EndpointNotSubscribed where `through`
 * does not take the event. Returns the delivery that is sent. Spec: Delivery and replay 2 and 4.
 */
export const replayDelivery = useCase("webhooks.replayDelivery")(function* (command: ReplayDelivery) {
  const records = yield* DeliveryRecords
  const delivery = yield* replay(command)
  return { delivery, attempts: yield* records.attempts(delivery.endpointId, delivery.eventId) }
})
