import type { OrganizationCaller } from "@agent-platform/kernel"
import { Effect } from "effect"
import { type EndpointId, EndpointNotFound } from "../Endpoint.ts"
import { DeliveryStore } from "../ports/DeliveryStore.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"

/** How many deliveries a listing holds. Spec: Delivery and replay 3. */
export const DELIVERIES_LISTED = 50

/** The most recent deliveries of an endpoint with all their attempts. Spec: Delivery and replay 3. */
export const listDeliveries = Effect.fn("webhooks.listDeliveries")(function* (query: {
  readonly caller: OrganizationCaller
  readonly endpointId: EndpointId
}) {
  const endpoints = yield* EndpointStore
  const deliveries = yield* DeliveryStore
  const endpoint = yield* endpoints.find(query.caller.organizationId, query.endpointId)
  if (endpoint === undefined) return yield* new EndpointNotFound()
  return yield* deliveries.recent(endpoint.id, DELIVERIES_LISTED)
})
