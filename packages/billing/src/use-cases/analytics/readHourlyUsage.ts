import { type Distribution, percentilesOf, sumOfDistributions, useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { hoursFrom } from "../../BillingMonth.ts"
import {
  type LatencyAt,
  type OutcomesAt,
  type UsageAt,
  type UsageFilter,
  UsageReadings
} from "../../ports/UsageReadings.ts"
import {
  boundRefusal,
  type GivenRange,
  HOURS_MAX,
  hoursOf,
  ORGANIZATION_HOURS_MAX,
  RangeRefused,
  rangeOf,
  spanRefusal
} from "../../ReadingRange.ts"
import {
  addOutcomes,
  addPaid,
  NO_OUTCOMES,
  NO_PAID_USAGE,
  type OutcomeCounts,
  type PaidUsage
} from "../../UsageCells.ts"
import { monthsOver } from "./monthsOver.ts"
import { idsOf, type ReadingOf, workspacesOf } from "./readingOf.ts"

/** A question for usage hour by hour. */
export interface ReadHourlyUsage extends GivenRange {
  readonly of: ReadingOf
  readonly filter: UsageFilter
}

/** Percentiles of durations in milliseconds, each within 5 % of the true one. */
export interface Percentiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

/** The sums of an hour. */
export interface UsageHour extends PaidUsage {
  readonly hour: DateTime.Utc
  /** The outcomes of the runs that ended in this hour. */
  readonly outcomes: OutcomeCounts
  /** How long these runs took, from when they could begin; null where none of them began. */
  readonly runLatency: Percentiles | null
  /** The time to the first token of requests of this hour; null where none was streamed. */
  readonly timeToFirstToken: Percentiles | null
}

const percentiles = (distribution: Distribution): Percentiles | null => {
  const [p50, p95, p99] = percentilesOf(distribution, [0.5, 0.95, 0.99]) ?? []
  return p50 === undefined || p95 === undefined || p99 === undefined ? null : { p50, p95, p99 }
}

/** Returns a function that takes the next cells before an end out of a list in the order of time, each once. */
const taking = <Cell extends { readonly at: DateTime.Utc }>(cells: ReadonlyArray<Cell>) => {
  let next = 0
  return (end: DateTime.Utc): ReadonlyArray<Cell> => {
    const from = next
    for (let cell = cells[next]; cell && DateTime.isLessThan(cell.at, end); cell = cells[++next]);
    return cells.slice(from, next)
  }
}

const distributionOf = (cells: ReadonlyArray<LatencyAt>, wanted: LatencyAt["kind"]): Distribution =>
  sumOfDistributions(cells.flatMap(({ distribution, kind }) => (kind === wanted ? [distribution] : [])))

/** The sum of cells. Most hours have one, which is returned as it is. */
const sumOf = <Sums>(
  cells: ReadonlyArray<Sums & { readonly at: DateTime.Utc }>,
  add: (one: Sums, other: Sums) => Sums,
  none: Sums
): Sums => {
  const [first, ...others] = cells
  if (first === undefined) return none
  const { at: _, ...sums } = first
  return others.reduce<Sums>(add, sums as Sums)
}

const hourOf = (
  hour: DateTime.Utc,
  usage: ReadonlyArray<UsageAt>,
  outcomes: ReadonlyArray<OutcomesAt>,
  latencies: ReadonlyArray<LatencyAt>
): UsageHour => ({
  ...sumOf<PaidUsage>(usage, addPaid, NO_PAID_USAGE),
  hour,
  outcomes: sumOf<OutcomeCounts>(outcomes, addOutcomes, NO_OUTCOMES),
  runLatency: percentiles(distributionOf(latencies, "run")),
  timeToFirstToken: percentiles(distributionOf(latencies, "first_token"))
})

/**
 * The usage in every hour of a span that has begun, empty hours included. Of a workspace: hours of its clock, 744 at most, the
 * last 30 days by default. Of an organization: hours in UTC, 168 at most, the last 7 days. Fails with `RangeRefused`.
 */
export const readHourlyUsage = useCase("billing.readHourlyUsage")(function* (query: ReadHourlyUsage) {
  const { filter, of } = query
  const readings = yield* UsageReadings
  const now = yield* DateTime.now
  // The span needs the zone of the one workspace, so workspaces are looked up first. Only those of an organization, whose zone is UTC,
  // depend on when the span begins.
  const { only, workspaces } = yield* workspacesOf(of, rangeOf(query, "UTC", now, ORGANIZATION_HOURS_MAX).start)
  const timezone = only?.calendar.monthAt(now).timezone ?? "UTC"
  const max = only === undefined ? ORGANIZATION_HOURS_MAX : HOURS_MAX
  const span = rangeOf(query, timezone, now, only === undefined ? max : undefined)
  const refused = spanRefusal(span) ?? (only === undefined ? boundRefusal(query, () => timezone) : undefined)
  if (refused !== undefined) return yield* refused
  // A workspace's hours follow the zone of each of its months, by which `hoursOf` refuses bounds and too long a span; an
  // organization's are those of UTC.
  const [months = []] = only === undefined ? [] : yield* monthsOver(workspaces, span)
  const all =
    only === undefined ? hoursFrom(timezone, span, max + 1) : yield* Effect.fromResult(hoursOf(query, span, months))
  if (all.length > max) return yield* new RangeRefused({ parameter: "since", reason: "too_long" })
  const read = yield* readings.hours(idsOf(workspaces), span, filter)
  const [usage, outcomes, latencies] = [taking(read.usage), taking(read.outcomes), taking(read.latencies)]
  const items = all
    .filter((hour) => DateTime.isLessThanOrEqualTo(hour, now))
    .map((hour, index): UsageHour => {
      const end = all[index + 1] ?? span.end
      return hourOf(hour, usage(end), outcomes(end), latencies(end))
    })
  return { timezone, asOf: read.asOf, items }
})
