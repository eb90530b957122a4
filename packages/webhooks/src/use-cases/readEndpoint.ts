import type { OrganizationCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { type EndpointId, EndpointNotFound } from "../Endpoint.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"

/** An endpoint of the organization, a deleted one included; its secrets stay sealed. Fails with EndpointNotFound. */
export const readEndpoint = useCase("webhooks.readEndpoint")(function* (query: {
  readonly caller: OrganizationCaller
  readonly endpointId: EndpointId
}) {
  const store = yield* EndpointStore
  const endpoint = yield* store.find(query.caller.organizationId, query.endpointId)
  return endpoint ?? (yield* new EndpointNotFound())
})
