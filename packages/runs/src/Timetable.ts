/**
 * The times of a cron expression on the clock of a time zone. Effect's `Cron` reads the expression and finds the minutes of the
 * calendar that match; here these become moments, where clocks are put forward and back, too.
 */
import { parseTimezone } from "@agent-platform/toolkit"
import { Cron, DateTime, Result, Schema } from "effect"

/** The longest cron expression, in characters. */
export const CRON_LENGTH_MAX = 256

/** An expression or a zone that makes no times. */
export class TimetableFlawed extends Schema.TaggedError<TimetableFlawed>()("TimetableFlawed", {
  path: Schema.Literals(["cron", "timezone"]),
  /** The requirement that is not met, as the end of a sentence that begins with the setting. */
  detail: Schema.String
}) {}

/**
 * The times of a schedule. Where every hour matches they are all moments at which the zone's clock shows a minute that
 * matches. In named hours each time of the calendar comes once: at the first of two moments where clocks are put back, and where
 * they are put forward over it, at the moment when they are.
 */
export interface Timetable {
  /** The first time that is later. */
  readonly next: (after: DateTime.Utc) => DateTime.Utc
}

const MINUTE = 60_000

/** More than any clock was ever put back, in milliseconds: a stretch of time that a clock shows twice is shorter. */
const OVERLAP_MAX = 4 * 60 * MINUTE

/** The days of each month, where February has as many as it ever has. */
const MONTH_DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Whether no month that matches has a day that does. `Cron` would look through many years before it says so. */
const hasNoDay = ({ days, months, weekdays }: Cron.Cron, weekdayField: string): boolean => {
  const [first = 1] = days
  const longest = Math.max(
    ...(months.size === 0 ? MONTH_DAYS : [...months].map((month) => MONTH_DAYS[month - 1] ?? 31))
  )
  // With a list of weekdays a date that is either of both matches; with one that begins with `*` it must be both.
  return first > longest && (weekdays.size === 0 || weekdayField.startsWith("*"))
}

const flaw = (path: TimetableFlawed["path"], detail: string) => Result.fail(new TimetableFlawed({ path, detail }))

/** The expression on a calendar without summer time. */
const parseCron = (text: string): Result.Result<Cron.Cron, TimetableFlawed> => {
  const fields = text.trim().split(/\s+/)
  if (fields.length !== 5) {
    return flaw("cron", "must have five fields: minute, hour, day of the month, month and day of the week")
  }
  const parsed = Cron.parse(fields.join(" "), "UTC")
  if (Result.isFailure(parsed)) {
    const { input, message } = parsed.failure
    return flaw("cron", `has a field '${input}' that cannot be read: ${message}`)
  }
  if (hasNoDay(parsed.success, fields[4] ?? "")) return flaw("cron", "names a day that never comes")
  return Result.succeed(parsed.success)
}

/** The clock of a zone. Moments are milliseconds since 1970; what the clock shows is written as the moment at which UTC shows it. */
const clockOf = (timezone: string) => {
  const timeZone = DateTime.zoneMakeNamedUnsafe(timezone)
  const offsetAt = (moment: number): number => DateTime.zonedOffset(DateTime.makeZonedUnsafe(moment, { timeZone }))

  /** When the clock was moved between these two moments, whose offsets must differ: found by bisection, to the minute. */
  const changeIn = (from: number, to: number): number => {
    const before = offsetAt(from)
    let [still, moved] = [Math.floor(from / MINUTE), Math.ceil(to / MINUTE)]
    while (moved - still > 1) {
      const middle = Math.floor((still + moved) / 2)
      if (offsetAt(middle * MINUTE) === before) still = middle
      else moved = middle
    }
    return moved * MINUTE
  }

  /** The first moment at which the clock shows this, or at which it was put forward over it. */
  const firstAt = (shown: number): number => {
    const zoned = DateTime.makeZonedUnsafe(shown, { timeZone, adjustForTimeZone: true, disambiguation: "compatible" })
    const moment = DateTime.toEpochMillis(zoned)
    const offset = offsetAt(moment)
    // Where the clock skips this time, `moment` lies behind the gap: then the time comes at the move itself.
    return moment + offset === shown ? moment : changeIn(shown - offset - MINUTE, moment)
  }

  return { offsetAt, changeIn, firstAt }
}

/** The next match in every hour: each moment at which the clock shows one. */
const everyHour = (matchAfter: (shown: number) => number, clock: ReturnType<typeof clockOf>) => {
  const firstFrom = (moment: number): number => {
    const offset = clock.offsetAt(moment)
    // The match if the clock is not moved before it. Where it is moved, the search goes on from there by the new offset.
    const found = matchAfter(moment + offset - 1) - offset
    // A move back shortly after `moment` is looked for first: the clock then shows earlier times once more,
    // and one of these may match before `found`.
    const near = Math.min(found, moment + OVERLAP_MAX)
    if (clock.offsetAt(near) !== offset) return firstFrom(clock.changeIn(moment, near))
    return clock.offsetAt(found) === offset ? found : firstFrom(clock.changeIn(near, found))
  }
  return (moment: number) => firstFrom(moment + 1)
}

/** The next match in named hours: each time of the calendar once. */
const namedHours = (matchAfter: (shown: number) => number, clock: ReturnType<typeof clockOf>) => (moment: number) => {
  let shown = moment + clock.offsetAt(moment)
  while (true) {
    shown = matchAfter(shown)
    const found = clock.firstAt(shown)
    // After the clock was put back it shows times again whose first moment is past.
    if (found > moment) return found
  }
}

/** Reads a cron expression of five fields and the IANA name of a zone. */
export const parseTimetable = (cron: string, timezone: string): Result.Result<Timetable, TimetableFlawed> =>
  Result.flatMap(parseCron(cron), (parsed) => {
    const zone = parseTimezone(timezone)
    if (zone === undefined) return flaw("timezone", "must be a time zone of the IANA database, such as Europe/Berlin")
    const matchAfter = (shown: number) => Cron.next(parsed, shown).getTime()
    // No hours stand for all of them, as `*` is read.
    const isEveryHour = parsed.hours.size === 0 || parsed.hours.size === 24
    const nextAfter = (isEveryHour ? everyHour : namedHours)(matchAfter, clockOf(zone))
    return Result.succeed({
      next: (after) => DateTime.makeUnsafe(nextAfter(DateTime.toEpochMillis(after)))
    } satisfies Timetable)
  })
