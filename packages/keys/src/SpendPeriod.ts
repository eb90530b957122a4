/** The months in which a workspace spends. Spec: Analytics. */
import { beginningOfDay } from "@agent-platform/toolkit"
import { DateTime } from "effect"
import { timezoneAt, type Workspace } from "./Workspace.ts"

/** The time from `start` on and before `end`. */
export interface SpendPeriod {
  readonly start: DateTime.Utc
  readonly end: DateTime.Utc
}

/** The number of the month, counted from January of the year 0, so that months can be compared and added to. */
const monthOf = (timezone: string, at: DateTime.Utc): number => {
  const { month, year } = DateTime.toParts(DateTime.setZoneNamedUnsafe(at, timezone))
  return year * 12 + month - 1
}

/** The first moment of a month in this zone. */
const beginningIn = (timezone: string, month: number): DateTime.Utc =>
  beginningOfDay(timezone, { year: Math.floor(month / 12), month: (month % 12) + 1, day: 1 })

/** The time zone of a month of the workspace. */
const zoneIn = ({ nextTimezone, timezone }: Workspace, month: number): string =>
  nextTimezone !== null && month >= monthOf(nextTimezone.timezone, nextTimezone.from) ? nextTimezone.timezone : timezone

/** The first moment of a month of the workspace, in that month's zone. */
const beginningOf = (workspace: Workspace, month: number): DateTime.Utc => beginningIn(zoneIn(workspace, month), month)

/** The number of the present month. Around a change of zone the calendar of either zone can be one month off. */
const currentMonth = (workspace: Workspace, now: DateTime.Utc): number => {
  let month = monthOf(timezoneAt(workspace, now), now)
  while (DateTime.isGreaterThan(beginningOf(workspace, month), now)) month -= 1
  while (DateTime.isLessThanOrEqualTo(beginningOf(workspace, month + 1), now)) month += 1
  return month
}

/**
 * The present month of the workspace. Months follow each other without gap and overlap, also where the zone changes: the last
 * month before the change ends where the first one after it begins.
 */
export const spendPeriod = (workspace: Workspace, now: DateTime.Utc): SpendPeriod => {
  const month = currentMonth(workspace, now)
  return { start: beginningOf(workspace, month), end: beginningOf(workspace, month + 1) }
}

/**
 * The workspace with a newly chosen `timezone`, which must exist. The zone holds from the first month on that has not begun in
 * either zone, so that no spending changes its month. Choosing the present zone takes an earlier choice back.
 */
export const withTimezone = (workspace: Workspace, timezone: string, now: DateTime.Utc): Workspace => {
  const present = timezoneAt(workspace, now)
  if (timezone === present) return { ...workspace, timezone: present, nextTimezone: null }
  const next = currentMonth(workspace, now) + 1
  const begun = DateTime.isLessThanOrEqualTo(beginningIn(timezone, next), now)
  return {
    ...workspace,
    timezone: present,
    nextTimezone: { timezone, from: beginningIn(timezone, begun ? next + 1 : next) }
  }
}

/** A month of a workspace by its name, such as `2026-11`, with the zone whose calendar it follows. */
export interface SpendMonth extends SpendPeriod {
  readonly month: string
  readonly timezone: string
}

const spendMonth = (workspace: Workspace, month: number): SpendMonth => ({
  month: `${String(Math.floor(month / 12)).padStart(4, "0")}-${String((month % 12) + 1).padStart(2, "0")}`,
  timezone: zoneIn(workspace, month),
  start: beginningOf(workspace, month),
  end: beginningOf(workspace, month + 1)
})

/** Most zones, or changes of zone, for which a month is remembered. */
const REMEMBERED_MAX = 1_000

/** The month that was last computed for workspaces with the same zones. */
const remembered = new Map<string, SpendMonth>()

/**
 * The month of the workspace at a past, present or future time. Zones before the present one are not known here, so callers
 * that need them store them. The month is remembered, since reckoning it for every run and every model call would be slow.
 */
export const spendMonthAt = (workspace: Workspace, at: DateTime.Utc): SpendMonth => {
  const { nextTimezone: next, timezone } = workspace
  const zones = next === null ? timezone : `${timezone} ${next.timezone} ${next.from.epochMilliseconds}`
  const last = remembered.get(zones)
  if (last !== undefined && !DateTime.isLessThan(at, last.start) && DateTime.isLessThan(at, last.end)) return last
  const month = spendMonth(workspace, currentMonth(workspace, at))
  if (remembered.size >= REMEMBERED_MAX) remembered.clear()
  remembered.set(zones, month)
  return month
}

/** The month of a name such as `2026-11`. */
export const spendMonthNamed = (workspace: Workspace, name: string): SpendMonth =>
  spendMonth(workspace, Number(name.slice(0, 4)) * 12 + Number(name.slice(5)) - 1)
