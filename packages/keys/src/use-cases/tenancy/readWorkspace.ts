import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime } from "effect"
import { TenancyStore } from "../../ports/TenancyStore.ts"
import { WorkspaceSpend } from "../../ports/WorkspaceSpend.ts"
import { spendPeriod } from "../../SpendPeriod.ts"
import { WorkspaceNotFound } from "../../Workspace.ts"

/**
 * A workspace and its spending in the present month. Fails with WorkspaceNotFound when it is none of the organization's. Spec:
 * Identity and API keys.
 */
export const readWorkspace = useCase("tenancy.readWorkspace")(function* (query: {
  readonly caller: { readonly organizationId: OrganizationId; readonly workspaceId: WorkspaceId }
}) {
  const store = yield* TenancyStore
  const spend = yield* WorkspaceSpend
  const { organizationId, workspaceId } = query.caller
  const workspace = yield* store.findWorkspace(organizationId, workspaceId)
  if (workspace === undefined) return yield* new WorkspaceNotFound()
  const period = spendPeriod(workspace, yield* DateTime.now)
  return { workspace, period, ...(yield* spend.read(workspaceId, period, workspace.monthlyCapUsd)) }
})
