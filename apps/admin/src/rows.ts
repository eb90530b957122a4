/**
 * Rows for people and for `--json`: organizations with what is in them, under the names that the HTTP interface uses, and runs of jobs,
 * which that interface does not have.
 */
import type { JobRun } from "@agent-platform/kernel"
import {
  type ApiKey,
  type Member,
  memberStatusOf,
  nextTimezoneAt,
  type Organization,
  statusOf,
  timezoneAt,
  type Workspace
} from "@agent-platform/keys"
import { DateTime } from "effect"

const time = (at: DateTime.Utc | null) => (at === null ? null : DateTime.formatIso(at))

export const organizationRow = ({ createdAt, id, name }: Organization) => ({ id, name, created_at: time(createdAt) })

const nextTimezone = (workspace: Workspace, now: DateTime.Utc) => {
  const next = nextTimezoneAt(workspace, now)
  return next === null ? null : { timezone: next.timezone, starts_at: time(next.from) }
}

export const workspaceRow = (workspace: Workspace, now: DateTime.Utc) => ({
  id: workspace.id,
  name: workspace.name,
  organization_id: workspace.organizationId,
  timezone: timezoneAt(workspace, now),
  next_timezone: nextTimezone(workspace, now),
  monthly_cap_usd: workspace.monthlyCapUsd,
  allow_platform_keys: workspace.allowPlatformKeys,
  retention_days: workspace.retentionDays,
  created_at: time(workspace.createdAt)
})

export const memberRow = (member: Member, now: DateTime.Utc) => ({
  id: member.id,
  email: member.email,
  organization_role: member.organizationRole,
  workspaces: member.workspaces.map(({ role, workspaceId }) => ({ workspace_id: workspaceId, role })),
  status: memberStatusOf(member, now),
  user: member.user,
  invited_at: time(member.invitedAt),
  joined_at: time(member.joinedAt)
})

export const keyRow = (key: ApiKey, now: DateTime.Utc) => ({
  id: key.id,
  name: key.name,
  hint: key.hint,
  kind: key.kind,
  workspace_id: key.workspaceId,
  scopes: key.scopes,
  status: statusOf(key, now),
  created_at: time(key.createdAt),
  expires_at: time(key.expiresAt),
  last_used_at: time(key.lastUsedAt)
})

/** How many seconds the rest of a job's run takes at the rate so far; null unless it is under way and somebody counted. */
export const secondsLeft = (run: JobRun, now: DateTime.Utc): number | null => {
  const millis = DateTime.toEpochMillis(now) - DateTime.toEpochMillis(run.startedAt)
  if (run.status !== "running" || run.itemsTotal === null || run.itemsDone === 0 || millis <= 0) return null
  return Math.round((Math.max(0, run.itemsTotal - run.itemsDone) * millis) / run.itemsDone / 1_000)
}

/** How many things a job's run has done in a second, to one decimal; null before there is anything to report. */
export const itemsPerSecond = ({ finishedAt, itemsDone, startedAt }: JobRun, now: DateTime.Utc): number | null => {
  const millis = DateTime.toEpochMillis(finishedAt ?? now) - DateTime.toEpochMillis(startedAt)
  return itemsDone === 0 || millis <= 0 ? null : Math.round((itemsDone / millis) * 10_000) / 10
}

export const jobRunRow = (run: JobRun, now: DateTime.Utc) => ({
  id: run.id,
  name: run.name,
  trigger: run.trigger,
  holder: run.holder,
  status: run.status,
  started_at: time(run.startedAt),
  finished_at: time(run.finishedAt),
  items_done: run.itemsDone,
  items_total: run.itemsTotal,
  items_per_second: itemsPerSecond(run, now),
  seconds_left: secondsLeft(run, now),
  cursor: run.cursor,
  summary: run.summary,
  error: run.error
})

/** How far a job's run has come, for people, and of how many where somebody counted. */
export const doneOfTotal = ({ itemsDone, itemsTotal }: Pick<JobRun, "itemsDone" | "itemsTotal">): string =>
  itemsTotal === null ? `${itemsDone}` : `${itemsDone} of ${itemsTotal}`
