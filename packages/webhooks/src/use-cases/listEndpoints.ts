import type { OrganizationCaller, PageRequest } from "@agent-platform/kernel"
import { Effect } from "effect"
import { EndpointStore } from "../ports/EndpointStore.ts"

/** The organization's endpoints, newest first; never their secrets. */
export const listEndpoints = Effect.fn("webhooks.listEndpoints")(function* (query: {
  readonly caller: OrganizationCaller
  readonly page: PageRequest
}) {
  const store = yield* EndpointStore
  return yield* store.list(query.caller.organizationId, query.page)
})
