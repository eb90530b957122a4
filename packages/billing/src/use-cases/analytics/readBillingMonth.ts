import type { WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { BigDecimal, DateTime, Effect } from "effect"
import { type BillingMonth, besides, daysOf, isFinal } from "../../BillingMonth.ts"
import { readUsd, writeUsd, ZERO_USD } from "../../Money.ts"
import { CallLedger } from "../../ports/CallLedger.ts"
import { RollUpStore } from "../../ports/RollUpStore.ts"
import { UsageReadings } from "../../ports/UsageReadings.ts"
import { WorkspaceCaps } from "../../ports/WorkspaceCaps.ts"
import { addFigures, type DayFigures, NO_FIGURES } from "../../RollUp.ts"
import { plusUsd } from "../../UsageCells.ts"
import { calendarOf, monthAt } from "./monthsOver.ts"

/** A question for a month, named as `2026-11`; the present one by default. */
export interface ReadBillingMonth {
  readonly caller: WorkspaceCaller
  readonly month: string | undefined
}

/** The figures of a month in some part of it, corrections after the fact apart. */
export interface BilledFigures extends Omit<DayFigures, "revision"> {
  readonly costUsd: string
}

/** A day of the month. */
export interface BilledDay extends BilledFigures {
  readonly date: string
  readonly status: "provisional" | "final"
  readonly revision: number
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
  const { revision, ...sums } = days.reduce<DayFigures>(addFigures, NO_FIGURES)
  return withCost(sums)
}

/** How the cap stands. It is the ledger's own count, of this very moment; the days follow as of their time. */
const capOf = Effect.fnUntraced(function* (
  { organizationId, workspaceId }: WorkspaceCaller,
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

/**
 * The figures of a month of the caller's workspace, day by day, by the zone that held in it. A day is final 24 hours after
 * its end; from then on only its adjustments change, and its revision with them.
 */
export const readBillingMonth = useCase("billing.readBillingMonth")(function* ({
  caller,
  month: name
}: ReadBillingMonth) {
  const readings = yield* UsageReadings
  const store = yield* RollUpStore
  const calendar = yield* calendarOf(caller)
  const now = yield* DateTime.now
  const kept = yield* store.months([caller.workspaceId])
  const wanted = name ?? calendar.monthAt(now).month
  const own = kept.find((one) => one.month === wanted)
  const month = own === undefined ? besides(calendar.monthNamed(wanted), kept) : monthAt(kept, calendar, own.start)
  const { asOf, days } = yield* readings.days(caller.workspaceId, month.month)
  const figures = new Map(days.map(({ date, end, start, ...ofDay }) => [date, ofDay]))
  const items = daysOf(month)
    .filter(({ end, start }) => DateTime.isLessThan(start, end))
    .map(
      ({ date, end }): BilledDay => ({
        ...withCost(figures.get(date) ?? NO_FIGURES),
        date,
        status: isFinal(end, asOf) ? "final" : "provisional"
      })
    )
  return {
    month,
    asOf,
    isClosed: isFinal(month.end, asOf),
    cap: yield* capOf(caller, month, now),
    items,
    totals: sumOf(items)
  }
})
