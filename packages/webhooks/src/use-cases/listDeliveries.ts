import type { OrganizationCaller, PageRequest } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import type { EndpointId } from "../Endpoint.ts"
import { type DeliveryFilter, DeliveryRecords } from "../ports/DeliveryRecords.ts"
import { readEndpoint } from "./readEndpoint.ts"

/** An endpoint's deliveries, newest first, each with its newest attempts. Spec: Delivery and replay 3. */
export const listDeliveries = useCase("webhooks.listDeliveries")(function* (query: {
  readonly caller: OrganizationCaller
  readonly endpointId: EndpointId
  readonly filter?: DeliveryFilter
  readonly page: PageRequest
}) {
  const deliveries = yield* DeliveryRecords
  const endpoint = yield* readEndpoint(query)
  return yield* deliveries.list(endpoint.id, query.filter ?? {}, query.page)
})
