import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { TenancyStore } from "../../ports/TenancyStore.ts"
import { WorkspaceNotFound } from "../../Workspace.ts"

/** Fails with WorkspaceNotFound when one of the ids is no workspace of the organization. */
export const requireWorkspaces = useCase("tenancy.requireWorkspaces")(function* (
  organizationId: OrganizationId,
  ids: ReadonlyArray<WorkspaceId>
) {
  if (ids.length === 0) return
  const store = yield* TenancyStore
  const known = yield* store.knownWorkspaces(organizationId, ids)
  if (!ids.every((id) => known.has(id))) return yield* new WorkspaceNotFound()
})
