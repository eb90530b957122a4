import type { Organization, Workspace } from "@agent-platform/keys"
import { boolean, integer, money, named, nullable, text, timestamptz, uuid } from "../columnTypes.ts"
import { makeTable, nullableGroup } from "../table.ts"

/** Organizations. */
export const organizationTable = makeTable<Organization>("organization", {
  id: uuid(),
  name: text(),
  createdAt: timestamptz()
})

/** Workspaces. */
export const workspaceTable = makeTable<Workspace>("workspace", {
  id: uuid(),
  organizationId: uuid(),
  name: text(),
  timezone: text(),
  nextTimezone: nullableGroup("", {
    timezone: named("next_timezone", text()),
    from: named("next_timezone_from", timestamptz())
  }),
  monthlyCapUsd: nullable(money()),
  allowPlatformKeys: boolean(),
  retentionDays: nullable(integer()),
  createdAt: timestamptz()
})
