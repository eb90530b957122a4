import type { OrganizationId, PageRequest } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { MemberStore } from "../../ports/MemberStore.ts"

/** The organization's members, newest first, invited ones included. */
export const listMembers = useCase("tenancy.listMembers")(function* (query: {
  readonly caller: { readonly organizationId: OrganizationId }
  readonly page: PageRequest
}) {
  const store = yield* MemberStore
  return yield* store.list(query.caller.organizationId, query.page)
})
