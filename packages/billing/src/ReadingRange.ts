/** The time that a reading is about. Spec: Analytics. */
import { DateTime, Result, Schema } from "effect"
import { type BillingMonth, dayAt, hoursFrom, isWholeHour, nextHour, type Span } from "./BillingMonth.ts"
import type { UsageSpans } from "./ports/UsageReadings.ts"

/** How long a reading looks back by default, and how far at most. */
export const RANGE_DAYS_DEFAULT = 30
export const RANGE_DAYS_MAX = 366

/** Most hours in the series of a workspace, a month of 31 days, and in that of an organization, a week. */
export const HOURS_MAX = 744
export const ORGANIZATION_HOURS_MAX = 168

/** A reading cannot be made for the time that was asked for. */
export class RangeRefused extends Schema.TaggedError<RangeRefused>()("RangeRefused", {
  parameter: Schema.Literals(["since", "until"]),
  reason: Schema.Literals(["not_whole_hour", "empty", "too_long", "too_many_requests"])
}) {}

/** The bounds that a caller has given. */
export interface GivenRange {
  readonly since: DateTime.Utc | undefined
  readonly until: DateTime.Utc | undefined
}

/** The month that a time lies in, out of a list without gaps; the first or the last where it lies outside. */
export const monthIn = (months: ReadonlyArray<BillingMonth>, at: DateTime.Utc): BillingMonth => {
  const found = months.find(({ end }) => DateTime.isLessThan(at, end)) ?? months.at(-1)
  if (found === undefined) throw new Error("A workspace has no month")
  return found
}

/** The span of a reading at `now`. It ends with the present hour unless `until` is given, and is `hours` long unless `since` is. */
export const rangeOf = (
  { since, until }: GivenRange,
  timezone: string,
  now: DateTime.Utc,
  hours = RANGE_DAYS_DEFAULT * 24
): Span => {
  const end = until ?? nextHour(timezone, now)
  return { start: since ?? DateTime.subtract(end, { hours }), end }
}

const boundRefusalIn = (given: GivenRange, months: ReadonlyArray<BillingMonth>): RangeRefused | undefined =>
  boundRefusal(given, (at) => monthIn(months, at).timezone)

/** The refusal of a bound that is no full hour, neither in the zone of its time nor in UTC. */
export const boundRefusal = (
  { since, until }: GivenRange,
  zoneAt: (at: DateTime.Utc) => string
): RangeRefused | undefined => {
  const isWhole = (at: DateTime.Utc | undefined) => at === undefined || isWholeHour(zoneAt(at), at)
  if (!isWhole(since)) return new RangeRefused({ parameter: "since", reason: "not_whole_hour" })
  if (!isWhole(until)) return new RangeRefused({ parameter: "until", reason: "not_whole_hour" })
  return undefined
}

/** The refusal of a span that is empty or too long. */
export const spanRefusal = ({ end, start }: Span): RangeRefused | undefined => {
  if (!DateTime.isLessThan(start, end)) return new RangeRefused({ parameter: "until", reason: "empty" })
  return DateTime.isLessThan(DateTime.add(start, { days: RANGE_DAYS_MAX }), end)
    ? new RangeRefused({ parameter: "since", reason: "too_long" })
    : undefined
}

/** The roll-ups that make up a span: as many whole days as it has, and the hours before and after them. */
export const spansOf = (
  given: GivenRange,
  span: Span,
  months: ReadonlyArray<BillingMonth>
): Result.Result<UsageSpans, RangeRefused> => {
  const refused = boundRefusalIn(given, months)
  if (refused !== undefined) return Result.fail(refused)
  const [first, last] = [dayAt(monthIn(months, span.start), span.start), dayAt(monthIn(months, span.end), span.end)]
  const firstWholeDay = DateTime.isLessThan(first.start, span.start) ? first.end : span.start
  if (!DateTime.isLessThan(firstWholeDay, last.start)) return Result.succeed({ days: undefined, hours: [span] })
  const hours = [
    { start: span.start, end: firstWholeDay },
    { start: last.start, end: span.end }
  ].filter((edge) => DateTime.isLessThan(edge.start, edge.end))
  return Result.succeed({ days: { start: firstWholeDay, end: last.start }, hours })
}

/** The beginnings of the hours of a span: its start, and every full hour of the workspace's clock after it. */
export const hoursOf = (
  given: GivenRange,
  span: Span,
  months: ReadonlyArray<BillingMonth>
): Result.Result<ReadonlyArray<DateTime.Utc>, RangeRefused> => {
  const refused = boundRefusalIn(given, months)
  if (refused !== undefined) return Result.fail(refused)
  const hours: Array<DateTime.Utc> = []
  for (const month of months) {
    const part = { start: DateTime.max(span.start, month.start), end: DateTime.min(span.end, month.end) }
    hours.push(...hoursFrom(month.timezone, part, HOURS_MAX + 1))
  }
  return hours.length > HOURS_MAX
    ? Result.fail(new RangeRefused({ parameter: "since", reason: "too_long" }))
    : Result.succeed(hours)
}
