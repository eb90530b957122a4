import type { OrganizationCaller, PageRequest } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { EndpointStore } from "../ports/EndpointStore.ts"

/** The organization's endpoints, newest first, deleted ones where they are asked for; never their secrets. */
export const listEndpoints = useCase("webhooks.listEndpoints")(function* (query: {
  readonly caller: OrganizationCaller
  readonly page: PageRequest
  /** Whether deleted endpoints are listed as well; they are not by default. */
  readonly includeDeleted?: boolean
}) {
  const store = yield* EndpointStore
  return yield* store.list(query.caller.organizationId, query.page, {
    includeDeleted: query.includeDeleted ?? false
  })
})
