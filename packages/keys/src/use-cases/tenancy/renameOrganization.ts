import { atomic, type OrganizationCaller, recordActivity } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { TenancyStore } from "../../ports/TenancyStore.ts"
import { OrganizationNotFound } from "../../Workspace.ts"

/** Gives the caller's organization another name. Fails with OrganizationNotFound. */
export const renameOrganization = useCase("tenancy.renameOrganization")(function* (command: {
  readonly caller: OrganizationCaller
  readonly name: string
}) {
  const store = yield* TenancyStore
  const { actor, organizationId } = command.caller
  const before = yield* store.findOrganization(organizationId)
  if (before === undefined) return yield* new OrganizationNotFound()
  if (before.name === command.name) return before
  const after = yield* store.renameOrganization(organizationId, command.name)
  if (after === undefined) return yield* new OrganizationNotFound()
  yield* recordActivity({
    organizationId,
    workspaceId: null,
    action: "organization.updated",
    actor,
    summary: `${actor.label} renamed the organization '${before.name}' to '${after.name}'`,
    resourceType: "organization",
    resourceId: organizationId,
    payload: { name: after.name }
  })
  return after
}, atomic)
