import type { OrganizationId, PageRequest, WorkspaceId } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import type { UserId } from "../../Member.ts"
import { MemberStore } from "../../ports/MemberStore.ts"
import { TenancyStore } from "../../ports/TenancyStore.ts"
import type { Role } from "../../Role.ts"
import type { Workspace } from "../../Workspace.ts"

/** A workspace that the caller may read, and a person's role in it; null for a key. */
export interface ReachableWorkspace {
  readonly workspace: Workspace
  readonly role: Role | null
}

/** Who lists: a person, a key of one workspace, or a key of the organization (null). */
export type ListingCaller = { readonly userId: UserId } | { readonly workspaceId: WorkspaceId } | null

/**
 * The workspaces of the organization that the caller may read, newest first. A key of the organization and a person with a role in it
 * read all, any other person those in which they have a role, and a key of a workspace that one.
 */
export const listReachableWorkspaces = useCase("tenancy.listReachableWorkspaces")(function* (query: {
  readonly caller: { readonly organizationId: OrganizationId }
  readonly by: ListingCaller
  readonly page: PageRequest
}) {
  const { by, caller, page } = query
  const store = yield* TenancyStore
  const roles = new Map<WorkspaceId, Role>()
  /** A person's role in the organization, which they have in each of its workspaces. */
  let everywhere: Role | null = null
  /** The only workspaces to list; undefined for all. */
  let among: ReadonlyArray<WorkspaceId> | undefined
  if (by !== null && "userId" in by) {
    const memberships = yield* (yield* MemberStore).membershipsOf(by.userId)
    const member = memberships.find(({ organizationId }) => organizationId === caller.organizationId)
    everywhere = member?.organizationRole ?? null
    for (const grant of member?.workspaces ?? []) roles.set(grant.workspaceId, grant.role)
    if (everywhere === null) among = [...roles.keys()]
  } else if (by !== null) among = [by.workspaceId]
  const found = yield* store.listWorkspaces(caller.organizationId, page, among)
  const items = found.items.map(
    (workspace): ReachableWorkspace => ({ workspace, role: everywhere ?? roles.get(workspace.id) ?? null })
  )
  return { ...found, items }
})
