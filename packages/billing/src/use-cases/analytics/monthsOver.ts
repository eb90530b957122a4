import { DateTime, Effect } from "effect"
import { type BillingMonth, isWithin, type Span, withoutOverlap } from "../../BillingMonth.ts"
import { RollUpStore } from "../../ports/RollUpStore.ts"
import type { ReadWorkspace, WorkspaceCalendar } from "../../ports/WorkspaceCalendars.ts"

/** More days than another zone can move the beginning of a month. */
const MOVED_DAYS_MAX = 3

/** The kept months in their order. The next month's zone decides where a month ends, if the next one is kept, too. */
const inOrder = (kept: ReadonlyArray<BillingMonth>): ReadonlyArray<BillingMonth> => {
  const months = kept.toSorted((one, other) => (one.month < other.month ? -1 : 1))
  return months.map((month, index) => {
    const next = months[index + 1]
    const isFollowed =
      next !== undefined && DateTime.isLessThan(next.start, DateTime.add(month.end, { days: MOVED_DAYS_MAX }))
    return isFollowed ? { ...month, end: next.start } : month
  })
}

/**
 * The month that a time lies in. Kept months have their zone for ever, but the present calendar decides when the latest of them ends.
 * All other months are those of the present calendar, cut so that they do not overlap kept ones.
 */
export const monthAt = (
  kept: ReadonlyArray<BillingMonth>,
  calendar: WorkspaceCalendar,
  at: DateTime.Utc
): BillingMonth => {
  const months = inOrder(kept)
  const [latest, settled] = [months.at(-1), months.slice(0, -1)]
  const found = settled.find((month) => isWithin(month, at))
  if (found !== undefined) return found
  const present = calendar.monthAt(at)
  if (latest === undefined) return present
  if (present.month === latest.month) return { ...latest, end: present.end }
  if (present.month < latest.month) return isWithin(latest, at) ? latest : withoutOverlap(present, months)
  // A later month: the latest kept one ends no later than this one now begins.
  return withoutOverlap(present, [...settled, { ...latest, end: DateTime.min(latest.end, present.start) }])
}

const monthsIn = (
  kept: ReadonlyArray<BillingMonth>,
  calendar: WorkspaceCalendar,
  span: Span
): ReadonlyArray<BillingMonth> => {
  const months: Array<BillingMonth> = []
  for (let at = span.start; DateTime.isLessThanOrEqualTo(at, span.end); ) {
    const month = monthAt(kept, calendar, at)
    months.push(month)
    at = month.end
  }
  return months
}

/** A text that is the same for months of the same names, zones and bounds. */
const keyOf = (calendar: WorkspaceCalendar, kept: ReadonlyArray<BillingMonth>): string =>
  [
    calendar.zones,
    ...kept.map(({ end, month, start, timezone }) =>
      [month, timezone, DateTime.toEpochMillis(start), DateTime.toEpochMillis(end)].join(" ")
    )
  ].join("\n")

/**
 * Calls `make` with the kept months of each workspace. Many workspaces of an organization have the same zone and the same months:
 * they share one result, the very same value.
 */
export const ofEachCalendar = Effect.fnUntraced(function* <A>(
  workspaces: ReadonlyArray<ReadWorkspace>,
  make: (kept: ReadonlyArray<BillingMonth>, calendar: WorkspaceCalendar) => A
) {
  const store = yield* RollUpStore
  const found = yield* store.months(workspaces.map(({ workspaceId }) => workspaceId))
  const ofWorkspace = Map.groupBy(found, ({ workspaceId }) => workspaceId)
  const made = new Map<string, A>()
  return workspaces.map(({ calendar, workspaceId }) => {
    const kept = ofWorkspace.get(workspaceId) ?? []
    const key = keyOf(calendar, kept)
    const known = made.get(key) ?? make(kept, calendar)
    made.set(key, known)
    return known
  })
})

/** The months of each workspace that a span touches, with the month of its end, without gaps. */
export const monthsOver = (workspaces: ReadonlyArray<ReadWorkspace>, span: Span) =>
  ofEachCalendar(workspaces, (kept, calendar) => monthsIn(kept, calendar, span))
