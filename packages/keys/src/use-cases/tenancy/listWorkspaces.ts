import type { OrganizationId, PageRequest } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { TenancyStore } from "../../ports/TenancyStore.ts"

/** The organization's workspaces, newest first. */
export const listWorkspaces = useCase("tenancy.listWorkspaces")(function* (query: {
  readonly caller: { readonly organizationId: OrganizationId }
  readonly page: PageRequest
}) {
  const store = yield* TenancyStore
  return yield* store.listWorkspaces(query.caller.organizationId, query.page)
})
