import type { EventId, OrganizationCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DeliveryNotFound } from "../Delivery.ts"
import type { EndpointId } from "../Endpoint.ts"
import { DeliveryRecords } from "../ports/DeliveryRecords.ts"
import { readEndpoint } from "./readEndpoint.ts"

/** A delivery of an endpoint, even of a deleted one, with its newest attempts. Fails with EndpointNotFound and DeliveryNotFound. */
export const readDelivery = useCase("webhooks.readDelivery")(function* (query: {
  readonly caller: OrganizationCaller
  readonly endpointId: EndpointId
  readonly eventId: EventId
}) {
  const deliveries = yield* DeliveryRecords
  const endpoint = yield* readEndpoint(query)
  const delivery = yield* deliveries.find(endpoint.id, query.eventId)
  if (delivery === undefined) return yield* new DeliveryNotFound()
  return { delivery, attempts: yield* deliveries.attempts(endpoint.id, query.eventId) }
})
