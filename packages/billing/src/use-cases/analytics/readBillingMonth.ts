import type { OrganizationId } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { BigDecimal, DateTime, Effect } from "effect"
import { type BillingDay, type BillingMonth, daysOf, isFinal, withoutOverlap } from "../../BillingMonth.ts"
import { readUsd, writeUsd, ZERO_USD } from "../../Money.ts"
import { CallLedger } from "../../ports/CallLedger.ts"
import { type GroupedDay, UsageReadings } from "../../ports/UsageReadings.ts"
import type { ReadWorkspace, WorkspaceCalendar } from "../../ports/WorkspaceCalendars.ts"
import { WorkspaceCaps } from "../../ports/WorkspaceCaps.ts"
import { addFigures, type DayFigures, NO_FIGURES } from "../../RollUp.ts"
import { plusUsd } from "../../UsageCells.ts"
import { type CellDimension, dearestFirst } from "../../UsageGroups.ts"
import { monthAt, ofEachCalendar } from "./monthsOver.ts"
import { type Named, namesIn } from "./namedGroups.ts"
import { idsOf, type ReadingOf, workspacesOf } from "./readingOf.ts"

/** More days than a month of any zone begins before that of UTC. */
const ZONE_DAYS_MAX = 2

/** A question for a month, named as `2026-11`; the present one by default. */
export interface ReadBillingMonth {
  readonly of: ReadingOf
  readonly month: string | undefined
  /** The dimensions by which each day is grouped: two at most, each once. */
  readonly groupBy: ReadonlyArray<CellDimension>
}

/** The figures of a day or of the month. The cost leaves out adjustments, which came after a day was final. */
export interface BilledFigures extends Omit<DayFigures, "revision"> {
  readonly costUsd: string
}

/** A day of the month. */
export interface BilledDay extends BilledFigures {
  readonly date: string
  readonly status: "provisional" | "final"
  readonly revision: number
  /** The groups of its usage, with adjustments in their costs; undefined where no dimension was asked for. */
  readonly groups: ReadonlyArray<Named<GroupedDay>> | undefined
}

const remaining = (capUsd: string | null, spentUsd: string): string | null => {
  if (capUsd === null) return null
  const [cap, spent] = [readUsd(capUsd), readUsd(spentUsd)]
  return BigDecimal.isLessThan(spent, cap) ? writeUsd(BigDecimal.subtract(cap, spent)) : ZERO_USD
}

const withCost = <Figures extends Omit<DayFigures, "revision">>(figures: Figures) => ({
  ...figures,
  costUsd: plusUsd(figures.byokCostUsd, figures.platformCostUsd)
})

const sumOf = (days: ReadonlyArray<BilledDay>): BilledFigures => {
  const { revision: _, ...sums } = days.reduce<DayFigures>(addFigures, NO_FIGURES)
  return withCost(sums)
}

/** The cap and its spending, by the ledger's own count at this moment; the days of the reading are older, as of their time. */
const capOf = Effect.fnUntraced(function* (
  organizationId: OrganizationId,
  { workspaceId }: ReadWorkspace,
  month: BillingMonth,
  now: DateTime.Utc
) {
  const ledger = yield* CallLedger
  const caps = yield* WorkspaceCaps
  const spend = yield* ledger.month(workspaceId, month.start)
  const isOver = DateTime.isLessThanOrEqualTo(month.end, now)
  // A past month keeps the cap under which calls were last admitted in it.
  const capUsd = isOver ? (spend?.capUsd ?? null) : (yield* caps.read(organizationId, workspaceId, now)).monthlyCapUsd
  const spentUsd = spend?.spentUsd ?? ZERO_USD
  return {
    monthlyCapUsd: capUsd,
    spentUsd,
    remainingUsd: remaining(capUsd, spentUsd),
    reachedAt: spend?.reachedAt ?? null,
    resetsAt: month.end
  }
})

/** The month of this name in a calendar, as it was kept, if it was. */
const monthNamed = (name: string) => (kept: ReadonlyArray<BillingMonth>, calendar: WorkspaceCalendar) => {
  const own = kept.find(({ month }) => month === name)
  return own === undefined ? withoutOverlap(calendar.monthNamed(name), kept) : monthAt(kept, calendar, own.start)
}

/** The days of the months of several workspaces, each from its first beginning to its last end. Days that a zone skips are left out. */
const datesOf = (months: Iterable<BillingMonth>): ReadonlyArray<BillingDay> => {
  const dates = new Map<string, BillingDay>()
  for (const month of months) {
    for (const day of daysOf(month)) {
      if (!DateTime.isLessThan(day.start, day.end)) continue
      const { end, start } = dates.get(day.date) ?? day
      dates.set(day.date, { ...day, start: DateTime.min(start, day.start), end: DateTime.max(end, day.end) })
    }
  }
  return [...dates.values()].sort((one, other) => (one.date < other.date ? -1 : 1))
}

const groupedDays = Effect.fnUntraced(function* (
  workspaces: ReadonlyArray<ReadWorkspace>,
  month: string,
  groupBy: ReadonlyArray<CellDimension>
) {
  if (groupBy.length === 0) return undefined
  const readings = yield* UsageReadings
  const groups = (yield* readings.groupedDays(idsOf(workspaces), month, groupBy)).toSorted(dearestFirst)
  const named = yield* namesIn(workspaces, groupBy, groups)
  return Map.groupBy(groups.map(named), ({ date }) => date)
})

/**
 * The figures of a month of a workspace, day by day, by the zone that held in it; or of an organization, each of whose workspaces
 * has its own. A day is final 24 hours after its end; from then on only its adjustments change, and its revision with them.
 * Days that have not begun are left out.
 */
export const readBillingMonth = useCase("billing.readBillingMonth")(function* ({
  groupBy,
  month: name,
  of
}: ReadBillingMonth) {
  const readings = yield* UsageReadings
  const now = yield* DateTime.now
  const monthInUtc = name ?? DateTime.formatIso(now).slice(0, 7)
  const earliest = DateTime.subtract(DateTime.makeUnsafe(`${monthInUtc}-01T00:00:00.000Z`), { days: ZONE_DAYS_MAX })
  const { only, workspaces } = yield* workspacesOf(of, earliest)
  const wanted = name ?? only?.calendar.monthAt(now).month ?? monthInUtc
  const months = yield* ofEachCalendar(workspaces, monthNamed(wanted))
  const [month] = months
  const dates = datesOf(new Set(months))
  const { asOf, days } = yield* readings.days(idsOf(workspaces), wanted)
  const groups = yield* groupedDays(workspaces, wanted, groupBy)
  const figures = new Map(days.map(({ date, end, start, ...ofDay }) => [date, ofDay]))
  const items = dates
    .filter(({ start }) => DateTime.isLessThanOrEqualTo(start, now))
    .map(
      ({ date, end }): BilledDay => ({
        ...withCost(figures.get(date) ?? NO_FIGURES),
        date,
        status: isFinal(end, asOf) ? "final" : "provisional",
        groups: groups && (groups.get(date) ?? [])
      })
    )
  return {
    month: wanted,
    timezone: only === undefined ? null : (month?.timezone ?? null),
    asOf,
    isClosed: months.length > 0 && months.every(({ end }) => isFinal(end, asOf)),
    cap: only === undefined || month === undefined ? null : yield* capOf(of.organizationId, only, month, now),
    items,
    totals: sumOf(items)
  }
})
