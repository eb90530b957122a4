import { atomic, type OrganizationCaller, type WorkspaceId } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime } from "effect"
import type { KeyGrantor } from "../../KeyGrant.ts"
import { TenancyStore } from "../../ports/TenancyStore.ts"
import { isSameCap } from "../../SpendCap.ts"
import { withTimezone } from "../../SpendPeriod.ts"
import { type Workspace, WorkspaceNotFound } from "../../Workspace.ts"
import { holdGrantor } from "../api-keys/holdGrantor.ts"
import { admitTimezone } from "./admitTimezone.ts"
import { recordWorkspace } from "./workspaceActivity.ts"

export interface UpdateWorkspace {
  readonly caller: OrganizationCaller
  /** The caller with its bounds. */
  readonly by: KeyGrantor
  readonly workspaceId: WorkspaceId
  /** An undefined member stays as it is. */
  readonly name?: string | undefined
  /** An IANA time zone, which holds from the next month on. */
  readonly timezone?: string | undefined
  /** In USD as a decimal, from 0 on; null takes the cap away. */
  readonly monthlyCapUsd?: string | null | undefined
  readonly allowPlatformKeys?: boolean | undefined
  /** In days; null for as long as the deployment keeps runs. */
  readonly retentionDays?: number | null | undefined
}

const isSameZone = (one: Workspace, other: Workspace) =>
  one.timezone === other.timezone && one.nextTimezone?.timezone === other.nextTimezone?.timezone

/** Changes a workspace of the caller's organization. Fails with WorkspaceNotFound or TimezoneUnknown, and as `holdGrantor` says. */
export const updateWorkspace = useCase("tenancy.updateWorkspace")(function* (command: UpdateWorkspace) {
  const store = yield* TenancyStore
  const { actor, organizationId } = command.caller
  yield* holdGrantor({ organizationId, workspaceId: null }, command.by)
  const now = yield* DateTime.now
  const before = yield* store.holdWorkspace(organizationId, command.workspaceId)
  if (before === undefined) return yield* new WorkspaceNotFound()
  const timezone = command.timezone === undefined ? undefined : yield* admitTimezone(command.timezone)
  const zoned = timezone === undefined ? before : withTimezone(before, timezone, now)
  const after: Workspace = {
    ...zoned,
    name: command.name ?? before.name,
    monthlyCapUsd: command.monthlyCapUsd === undefined ? before.monthlyCapUsd : command.monthlyCapUsd,
    allowPlatformKeys: command.allowPlatformKeys ?? before.allowPlatformKeys,
    retentionDays: command.retentionDays === undefined ? before.retentionDays : command.retentionDays
  }
  const changes = {
    ...(after.name === before.name ? {} : { name: after.name }),
    ...(isSameZone(before, after) ? {} : { timezone: after.nextTimezone?.timezone ?? after.timezone }),
    ...(after.allowPlatformKeys === before.allowPlatformKeys ? {} : { allow_platform_keys: after.allowPlatformKeys }),
    ...(after.retentionDays === before.retentionDays ? {} : { retention_days: after.retentionDays })
  }
  const isCapChanged = !isSameCap(before.monthlyCapUsd, after.monthlyCapUsd)
  if (Object.keys(changes).length === 0 && !isCapChanged) return before
  yield* store.updateWorkspace(after)
  if (Object.keys(changes).length > 0) yield* recordWorkspace("updated", actor, after, changes)
  if (isCapChanged) {
    yield* recordWorkspace("cap_changed", actor, after, { from: before.monthlyCapUsd, to: after.monthlyCapUsd })
  }
  return after
}, atomic)
