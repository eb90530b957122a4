import type { OrganizationCaller, PageRequest } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import type { EndpointId } from "../Endpoint.ts"
import { ReplayStore } from "../ports/ReplayStore.ts"
import { readEndpoint } from "./readEndpoint.ts"

/**
 * The replays of an endpoint, which may be deleted, or those of all the organization's endpoints where none is named; newest
 * first. Fails with EndpointNotFound.
 */
export const listReplays = useCase("webhooks.listReplays")(function* (query: {
  readonly caller: OrganizationCaller
  readonly endpointId: EndpointId | undefined
  readonly page: PageRequest
}) {
  const replays = yield* ReplayStore
  const { caller, endpointId, page } = query
  if (endpointId === undefined) return yield* replays.list({ organizationId: caller.organizationId }, page)
  const endpoint = yield* readEndpoint({ caller, endpointId })
  return yield* replays.list({ endpointId: endpoint.id }, page)
})
