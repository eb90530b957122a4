import type { WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { type BillingMonth, besides, isWithin, type Span } from "../../BillingMonth.ts"
import { type KeptMonth, RollUpStore } from "../../ports/RollUpStore.ts"
import { type WorkspaceCalendar, WorkspaceCalendars } from "../../ports/WorkspaceCalendars.ts"

/** The kept months in their order, each up to the next one where that follows: where an end is, the next zone decides. */
const inOrder = (kept: ReadonlyArray<BillingMonth>): ReadonlyArray<BillingMonth> => {
  const months = kept.toSorted((one, other) => (one.month < other.month ? -1 : 1))
  return months.map((month, index) => {
    const next = months[index + 1]
    const isFollowed = next !== undefined && DateTime.isLessThan(next.start, DateTime.add(month.end, { days: 3 }))
    return isFollowed ? { ...month, end: next.start } : month
  })
}

/**
 * The month of a time. A month that is kept has its zone for ever; when the latest of them ends, the present calendar knows.
 * Any other month is that of the present calendar, beside the kept ones.
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
  if (present.month < latest.month) return isWithin(latest, at) ? latest : besides(present, months)
  return besides(present, [...settled, { ...latest, end: DateTime.min(latest.end, present.start) }])
}

/** The caller's calendar. It dies without its workspace, which no caller is. */
export const calendarOf = useCase("billing.calendarOf")(function* ({ organizationId, workspaceId }: WorkspaceCaller) {
  const calendars = yield* WorkspaceCalendars
  const calendar = yield* calendars.read(organizationId, workspaceId)
  return calendar ?? (yield* Effect.die(new Error("A caller has no workspace")))
})

/** The months of the caller's workspace that a span touches, its end included, without gaps. */
export const monthsOver = useCase("billing.monthsOver")(function* (
  { workspaceId }: WorkspaceCaller,
  calendar: WorkspaceCalendar,
  span: Span
) {
  const store = yield* RollUpStore
  const kept: ReadonlyArray<KeptMonth> = yield* store.months([workspaceId])
  const months: Array<BillingMonth> = []
  for (let at = span.start; DateTime.isLessThanOrEqualTo(at, span.end); ) {
    const month = monthAt(kept, calendar, at)
    months.push(month)
    at = month.end
  }
  return months
})
