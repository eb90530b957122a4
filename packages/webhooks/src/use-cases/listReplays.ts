import type { OrganizationCaller, PageRequest } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import type { EndpointId } from "../Endpoint.ts"
import { ReplayStore } from "../ports/ReplayStore.ts"
import { readEndpoint } from "./readEndpoint.ts"

/** The replays of an endpoint, of a deleted one too, newest first. Fails with EndpointNotFound. */
export const listReplays = useCase("webhooks.listReplays")(function* (query: {
  readonly caller: OrganizationCaller
  readonly endpointId: EndpointId
  readonly page: PageRequest
}) {
  const replays = yield* ReplayStore
  const endpoint = yield* readEndpoint(query)
  return yield* replays.list(endpoint.id, query.page)
})
