import { freshId, OrganizationId, UnitOfWork, WorkspaceId } from "@agent-platform/kernel"
import { DateTime, Effect, Option } from "effect"
import { TenancyStore } from "../ports/TenancyStore.ts"
import { type Organization, TimezoneUnknown, type Workspace } from "../Workspace.ts"

/** Creates an organization with its first workspace. Fails with TimezoneUnknown. */
export const foundOrganization = Effect.fn("keys.foundOrganization")(function* (command: {
  readonly name: string
  readonly workspaceName: string
  readonly timezone: string
}) {
  const store = yield* TenancyStore
  const unit = yield* UnitOfWork
  if (Option.isNone(DateTime.zoneMakeNamed(command.timezone))) {
    return yield* new TimezoneUnknown({ timezone: command.timezone })
  }
  const createdAt = yield* DateTime.now
  const organization: Organization = { id: yield* freshId(OrganizationId), name: command.name, createdAt }
  const workspace: Workspace = {
    id: yield* freshId(WorkspaceId),
    organizationId: organization.id,
    name: command.workspaceName,
    timezone: command.timezone,
    monthlyCapUsd: null,
    allowPlatformKeys: false,
    createdAt
  }
  yield* unit.atomic(Effect.andThen(store.insertOrganization(organization), store.insertWorkspace(workspace)))
  return { organization, workspace }
})
