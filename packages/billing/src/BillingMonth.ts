/** Months, days and hours of a workspace's own calendar. Spec: Analytics. */
import { beginningOfDay } from "@agent-platform/toolkit"
import { DateTime } from "effect"

/** A span of time from `start` on and before `end`. */
export interface Span {
  readonly start: DateTime.Utc
  readonly end: DateTime.Utc
}

/** Whether a time lies in a span. */
export const isWithin = ({ end, start }: Span, at: DateTime.Utc): boolean =>
  DateTime.isLessThanOrEqualTo(start, at) && DateTime.isLessThan(at, end)

/** A month of a workspace, named as `2026-11`. It keeps the zone that held in it when the zone changes later. */
export interface BillingMonth extends Span {
  readonly month: string
  /** An IANA time zone. */
  readonly timezone: string
}

/** A day of a month, named as `2026-11-21`. */
export interface BillingDay extends Span {
  readonly date: string
}

/** A day is final this long after its end. */
export const CLOSES_AFTER_HOURS = 24

const MINUTE_MILLIS = 60_000

const pad = (number: number): string => String(number).padStart(2, "0")

/** Minutes that the zone's clock is ahead of UTC at a time. */
const offsetMinutes = (timezone: string, at: DateTime.Utc): number =>
  DateTime.zonedOffset(DateTime.setZoneNamedUnsafe(at, timezone)) / MINUTE_MILLIS

/** How many minutes past the hour it is on a clock that is `ahead` minutes ahead of UTC. */
const minuteOf = (ahead: number, at: DateTime.Utc): number =>
  (((DateTime.toEpochMillis(at) / MINUTE_MILLIS + ahead) % 60) + 60) % 60

/** How many minutes past the hour the zone's clock shows. */
const minuteIn = (timezone: string, at: DateTime.Utc): number => minuteOf(offsetMinutes(timezone, at), at)

/** Whether a time is a full hour on the zone's clock, or in UTC. */
export const isWholeHour = (timezone: string, at: DateTime.Utc): boolean =>
  DateTime.toEpochMillis(at) % (60 * MINUTE_MILLIS) === 0 || minuteIn(timezone, at) === 0

/** When the next hour of the zone's clock begins. An hour in which the clock is put on by half an hour is that much shorter. */
export const nextHour = (timezone: string, at: DateTime.Utc): DateTime.Utc =>
  DateTime.makeUnsafe(DateTime.toEpochMillis(at) + (60 - minuteIn(timezone, at)) * MINUTE_MILLIS)

const DAY_MILLIS = 24 * 60 * MINUTE_MILLIS

/**
 * The beginnings of the hours of the zone's clock within a span: its start, and each full hour after it, `max` at most. Looking the zone
 * up takes 20 µs, so a day over which its clock stays as far ahead of UTC is looked up once: no clock is put on and back within a day.
 */
export const hoursFrom = (timezone: string, { end, start }: Span, max: number): ReadonlyArray<DateTime.Utc> => {
  const hours: Array<DateTime.Utc> = []
  /** The zone's clock is `ahead` minutes ahead of UTC up to this time. */
  let steadyUntil = start
  let ahead: number | undefined
  for (let at = start; DateTime.isLessThan(at, end) && hours.length < max; ) {
    hours.push(at)
    if (ahead === undefined || DateTime.isGreaterThanOrEqualTo(at, steadyUntil)) {
      ahead = offsetMinutes(timezone, at)
      const next = DateTime.makeUnsafe(DateTime.toEpochMillis(at) + DAY_MILLIS)
      steadyUntil = offsetMinutes(timezone, next) === ahead ? next : at
    }
    at = DateTime.makeUnsafe(DateTime.toEpochMillis(at) + (60 - minuteOf(ahead, at)) * MINUTE_MILLIS)
  }
  return hours
}

/**
 * The beginning of the cell that a time belongs to: the last full hour of the zone's clock or of UTC, whichever is later. So hours
 * of both clocks are made of whole cells, of which an hour has two where the zone is off by half an hour.
 */
export const cellStart = (timezone: string, at: DateTime.Utc): DateTime.Utc => {
  const millis = DateTime.toEpochMillis(at)
  const pastHour = Math.min(minuteIn(timezone, at), (millis / MINUTE_MILLIS) % 60)
  return DateTime.makeUnsafe(millis - pastHour * MINUTE_MILLIS)
}

/** The first moment of a day, within the month. */
const beginningOf = (month: BillingMonth, day: number): DateTime.Utc => {
  const [year, number] = [Number(month.month.slice(0, 4)), Number(month.month.slice(5))]
  const midnight = beginningOfDay(month.timezone, { year, month: number, day })
  return DateTime.max(month.start, DateTime.min(month.end, midnight))
}

const lengthOf = (month: BillingMonth): number =>
  DateTime.toParts(DateTime.endOf(DateTime.makeUnsafe(`${month.month}-01T00:00:00Z`), "month")).day

const dayOf = (month: BillingMonth, day: number): BillingDay => ({
  date: `${month.month}-${pad(day)}`,
  start: day === 1 ? month.start : beginningOf(month, day),
  end: day === lengthOf(month) ? month.end : beginningOf(month, day + 1)
})

/** The month's days, first to last, without gaps. A day that the zone skips is empty: it ends where it begins. */
export const daysOf = (month: BillingMonth): ReadonlyArray<BillingDay> =>
  Array.from({ length: lengthOf(month) }, (_, index) => dayOf(month, index + 1))

/** The day of the month that a time lies in, which is in the month. */
export const dayAt = (month: BillingMonth, at: DateTime.Utc): BillingDay => {
  const { day, month: calendarMonth, year } = DateTime.toParts(DateTime.setZoneNamedUnsafe(at, month.timezone))
  // Where a month before or after has another zone, this one's bounds can be a day away from those of its own zone's calendar.
  const shown = `${year}-${pad(calendarMonth)}`
  let number = shown === month.month ? day : shown < month.month ? 1 : lengthOf(month)
  while (number > 1 && DateTime.isLessThan(at, beginningOf(month, number))) number -= 1
  return dayOf(month, number)
}

/** Whether a day or a month that ends at `end` is final as of `asOf`. */
export const isFinal = (end: DateTime.Utc, asOf: DateTime.Utc): boolean =>
  DateTime.isLessThanOrEqualTo(DateTime.add(end, { hours: CLOSES_AFTER_HOURS }), asOf)

/** The month, cut where it overlaps months that are kept: these may follow the calendar of an earlier zone. */
export const withoutOverlap = (month: BillingMonth, kept: ReadonlyArray<BillingMonth>): BillingMonth => {
  const before = kept.filter((other) => other.month < month.month).map(({ end }) => end)
  const after = kept.filter((other) => other.month > month.month).map(({ start }) => start)
  return {
    ...month,
    start: before.reduce((one, other) => DateTime.max(one, other), month.start),
    end: after.reduce((one, other) => DateTime.min(one, other), month.end)
  }
}
