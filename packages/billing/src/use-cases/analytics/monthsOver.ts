import type { WorkspaceCaller } from "@agent-platform/kernel"
import { DateTime, Effect } from "effect"
import { type BillingMonth, besides, isWithin, type Span } from "../../BillingMonth.ts"
import { type KeptMonth, RollUpStore } from "../../ports/RollUpStore.ts"
import { type WorkspaceCalendar, WorkspaceCalendars } from "../../ports/WorkspaceCalendars.ts"

/** The month that a time lies in: the one that is kept, or else the one of the present calendar beside those. */
export const monthAt = (
  kept: ReadonlyArray<BillingMonth>,
  calendar: WorkspaceCalendar,
  at: DateTime.Utc
): BillingMonth => kept.find((month) => isWithin(month, at)) ?? besides(calendar.monthAt(at), kept)

/** The caller's calendar. It dies without its workspace, which no caller is. */
export const calendarOf = Effect.fn("billing.calendarOf")(function* ({ organizationId, workspaceId }: WorkspaceCaller) {
  const calendars = yield* WorkspaceCalendars
  const calendar = yield* calendars.read(organizationId, workspaceId)
  return calendar ?? (yield* Effect.die(new Error("A caller has no workspace")))
})

/** The months of the caller's workspace that a span touches, its end included, without gaps. */
export const monthsOver = Effect.fn("billing.monthsOver")(function* (
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
