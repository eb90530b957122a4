import { freshId, type OrganizationCaller, WorkspaceId } from "@agent-platform/kernel"
import { DateTime, Effect } from "effect"
import type { Workspace } from "../../Workspace.ts"
import { admitTimezone } from "./admitTimezone.ts"

/** A new workspace of the caller's organization, not stored yet. Fails with TimezoneUnknown. */
export const makeWorkspace = Effect.fnUntraced(function* (
  { organizationId }: OrganizationCaller,
  given: Pick<Workspace, "name" | "timezone"> &
    Partial<Pick<Workspace, "monthlyCapUsd" | "allowPlatformKeys" | "retentionDays">>
) {
  const timezone = yield* admitTimezone(given.timezone)
  const workspace: Workspace = {
    id: yield* freshId(WorkspaceId),
    organizationId,
    name: given.name,
    timezone,
    nextTimezone: null,
    monthlyCapUsd: given.monthlyCapUsd ?? null,
    allowPlatformKeys: given.allowPlatformKeys ?? false,
    retentionDays: given.retentionDays ?? null,
    createdAt: yield* DateTime.now
  }
  return workspace
})
