import {
  nextTimezoneAt,
  type Spending,
  type SpendPeriod,
  type SpendStatus,
  timezoneAt,
  type Workspace
} from "@agent-platform/keys"
import type { DateTime } from "effect"
import { canonicalUsd } from "./money.ts"

const zonesOf = (workspace: Workspace, now: DateTime.Utc) => {
  const next = nextTimezoneAt(workspace, now)
  return {
    timezone: timezoneAt(workspace, now),
    nextTimezone: next === null ? null : { timezone: next.timezone, startsAt: next.from }
  }
}

const capOf = ({ monthlyCapUsd }: Workspace) => (monthlyCapUsd === null ? null : canonicalUsd(monthlyCapUsd))

/** A workspace as the contract shows it, as of `now`. */
export const workspaceView = (workspace: Workspace, now: DateTime.Utc) => ({
  ...workspace,
  ...zonesOf(workspace, now),
  monthlyCapUsd: capOf(workspace)
})

/** The workspace of a request with its spending, as of `now`. */
export const currentWorkspaceView = (
  read: Spending & { readonly workspace: Workspace; readonly period: SpendPeriod; readonly status: SpendStatus },
  now: DateTime.Utc
) => ({
  ...read.workspace,
  ...zonesOf(read.workspace, now),
  spendCap: {
    monthlyCapUsd: capOf(read.workspace),
    spentUsd: canonicalUsd(read.spentUsd),
    reservedUsd: canonicalUsd(read.reservedUsd),
    periodStart: read.period.start,
    periodEnd: read.period.end,
    status: read.status
  }
})
