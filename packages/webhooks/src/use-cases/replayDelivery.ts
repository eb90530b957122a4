import { type EventId, type OrganizationCaller, Signals, UnitOfWork } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { recordEndpointAct } from "../activity.ts"
import { Delivery, DeliveryNotFound } from "../Delivery.ts"
import { type EndpointId, EndpointInactive, EndpointNotFound } from "../Endpoint.ts"
import { deliveriesDue } from "../jobs.ts"
import { DeliveryLifecycle } from "../ports/DeliveryLifecycle.ts"
import { DeliveryRecords } from "../ports/DeliveryRecords.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"

/**
 * Sends a delivery again, the same event id and the same bytes: dead and delivered ones start over, a pending one
 * becomes due now. At a disabled endpoint, too, so that a receiver can be tried before it is enabled; fails with
 * EndpointInactive for a deleted one. Spec: Delivery and replay 2 and 4.
 */
export const replayDelivery = useCase("webhooks.replayDelivery")(function* (command: {
  readonly caller: OrganizationCaller
  readonly endpointId: EndpointId
  readonly eventId: EventId
}) {
  const endpoints = yield* EndpointStore
  const lifecycle = yield* DeliveryLifecycle
  const records = yield* DeliveryRecords
  const signals = yield* Signals
  const unit = yield* UnitOfWork
  const now = yield* DateTime.now
  const delivery = yield* unit.atomic(
    Effect.gen(function* () {
      const endpoint = yield* endpoints.findToAct(command.caller.organizationId, command.endpointId)
      if (endpoint === undefined) return yield* new EndpointNotFound()
      const known = yield* records.find(endpoint.id, command.eventId)
      if (known === undefined) return yield* new DeliveryNotFound()
      if (endpoint.status === "deleted") return yield* new EndpointInactive({ status: endpoint.status })
      const found = yield* lifecycle.update(endpoint.id, command.eventId, (delivery) =>
        Delivery.replayed(delivery, now)
      )
      if (found === undefined) return yield* new DeliveryNotFound()
      yield* recordEndpointAct(command.caller.actor, endpoint, "replayed", { event_id: command.eventId })
      yield* signals.raise(deliveriesDue)
      return found
    })
  )
  return { delivery, attempts: yield* records.attempts(command.endpointId, command.eventId) }
})
