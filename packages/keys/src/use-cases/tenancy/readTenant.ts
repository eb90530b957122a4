import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { TenancyStore } from "../../ports/TenancyStore.ts"
import { WorkspaceNotFound } from "../../Workspace.ts"

/**
 * The caller's organization and the workspace that the request names, null where it names none. Fails with WorkspaceNotFound when
 * either does not exist any more. Spec: API keys 6.
 */
export const readTenant = useCase("tenancy.readTenant")(function* (query: {
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId | undefined
}) {
  const store = yield* TenancyStore
  const organization = yield* store.findOrganization(query.organizationId)
  if (organization === undefined) return yield* new WorkspaceNotFound()
  if (query.workspaceId === undefined) return { organization, workspace: null }
  const workspace = yield* store.findWorkspace(query.organizationId, query.workspaceId)
  if (workspace === undefined) return yield* new WorkspaceNotFound()
  return { organization, workspace }
})
