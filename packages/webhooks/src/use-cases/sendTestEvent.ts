import {
  EventId,
  type EventKind,
  EventLog,
  freshId,
  type IdempotencyRequest,
  idempotently,
  type OrganizationCaller,
  Signals,
  UnitOfWork
} from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect, type Schema } from "effect"
import { recordEndpointAct } from "../activity.ts"
import { Delivery, DeliveryNotFound, newDelivery } from "../Delivery.ts"
import { type EndpointId, EndpointInactive, EndpointNotFound } from "../Endpoint.ts"
import { deliveriesDue } from "../jobs.ts"
import { DeliveryRecords } from "../ports/DeliveryRecords.ts"
import { DeliverySettlement } from "../ports/DeliverySettlement.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"

export interface SendTestEvent {
  readonly caller: OrganizationCaller
  readonly endpointId: EndpointId
  readonly kind: EventKind<string, Schema.Constraint>
  readonly idempotency: IdempotencyRequest | undefined
}

/**
 * Sends a sample of this kind to one endpoint alone, whatever it subscribed to and also while it is disabled, so that a
 * receiver can be tried before events depend on it. It is signed, retried and listed like any delivery. Returns the
 * delivery; fails with EndpointInactive for a deleted endpoint.
 */
export const sendTestEvent = useCase("webhooks.sendTestEvent")(function* (command: SendTestEvent) {
  const { actor, organizationId } = command.caller
  const endpoints = yield* EndpointStore
  const records = yield* DeliveryRecords
  const settlement = yield* DeliverySettlement
  const log = yield* EventLog
  const signals = yield* Signals
  const unit = yield* UnitOfWork
  const create = Effect.gen(function* () {
    const endpoint = yield* endpoints.findToAct(organizationId, command.endpointId)
    if (endpoint === undefined) return yield* new EndpointNotFound()
    if (endpoint.status === "deleted") return yield* new EndpointInactive({ status: endpoint.status })
    const id = yield* freshId(EventId)
    const now = yield* DateTime.now
    const event = { id, type: command.kind.type, createdAt: now }
    const sample = command.kind.sample(now) as object
    const data = JSON.stringify({ ...sample, test: true })
    yield* log.append({ ...event, organizationId, workspaceId: null, data })
    // A new delivery is dead at a disabled endpoint. As a replayed one it is sent there, too.
    const delivery: Delivery = Delivery.replayed(newDelivery(endpoint, event, now), now)
    yield* settlement.insert([delivery])
    yield* recordEndpointAct(actor, endpoint, "tested", { event_id: id, event_type: event.type })
    yield* signals.raise(deliveriesDue)
    return delivery
  })
  return yield* unit.atomic(
    idempotently(command.idempotency, {
      create,
      idOf: (delivery) => delivery.eventId,
      find: (id) =>
        Effect.flatMap(records.find(command.endpointId, EventId.make(id)), (delivery) =>
          delivery === undefined ? Effect.fail(new DeliveryNotFound()) : Effect.succeed(delivery)
        )
    })
  )
})
