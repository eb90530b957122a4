import type { WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { type UsageFilter, UsageReadings } from "../../ports/UsageReadings.ts"
import { type GivenRange, hoursOf, impossible, rangeOf } from "../../ReadingRange.ts"
import { addSums, NO_SUMS, type UsageSums } from "../../UsageCells.ts"
import { calendarOf, monthsOver } from "./monthsOver.ts"

/** A question for usage hour by hour. */
export interface ReadHourlyUsage extends GivenRange {
  readonly caller: WorkspaceCaller
  readonly filter: UsageFilter
}

/** The sums of an hour. */
export interface UsageHour extends UsageSums {
  readonly hour: DateTime.Utc
  /** How many runs ended in it. */
  readonly runs: number
}

/**
 * The usage of the caller's workspace in every hour of its clock in a span, empty hours included: 744 at most, the last 30 days
 * by default. Fails with `RangeRefused`.
 */
export const readHourlyUsage = useCase("billing.readHourlyUsage")(function* (query: ReadHourlyUsage) {
  const { caller, filter } = query
  const readings = yield* UsageReadings
  const calendar = yield* calendarOf(caller)
  const now = yield* DateTime.now
  const { timezone } = calendar.monthAt(now)
  const span = rangeOf(query, timezone, now)
  const refused = impossible(span)
  if (refused !== undefined) return yield* refused
  const hours = yield* Effect.fromResult(hoursOf(query, span, yield* monthsOver(caller, calendar, span)))
  const read = yield* readings.hours(caller.workspaceId, span, filter)
  // Cells and hours are both in order, and a cell lies in one hour.
  let [usage, ended] = [0, 0]
  const items = hours.map((hour, index): UsageHour => {
    const end = hours[index + 1] ?? span.end
    let [sums, runs]: [UsageSums, number] = [NO_SUMS, 0]
    for (let cell = read.usage[usage]; cell && DateTime.isLessThan(cell.at, end); cell = read.usage[++usage]) {
      sums = addSums(sums, cell)
    }
    for (let cell = read.runs[ended]; cell && DateTime.isLessThan(cell.at, end); cell = read.runs[++ended]) {
      runs += cell.runs
    }
    return { ...sums, hour, runs }
  })
  return { timezone, asOf: read.asOf, items }
})
