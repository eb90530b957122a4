import type { OrganizationCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import type { EndpointId } from "../Endpoint.ts"
import { DeliveryRecords } from "../ports/DeliveryRecords.ts"
import { readEndpoint } from "./readEndpoint.ts"

/** How many deliveries a listing holds. Spec: Delivery and replay 3. */
export const DELIVERIES_LISTED = 50

/** The most recent deliveries of an endpoint, each with its newest attempts. Spec: Delivery and replay 3. */
export const listDeliveries = useCase("webhooks.listDeliveries")(function* (query: {
  readonly caller: OrganizationCaller
  readonly endpointId: EndpointId
}) {
  const deliveries = yield* DeliveryRecords
  const endpoint = yield* readEndpoint(query)
  return yield* deliveries.recent(endpoint.id, DELIVERIES_LISTED)
})
