import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, DateTime, Effect, Result, Schema } from "effect"
import { parseTimetable } from "../src/Timetable.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Zones with a day around which their clocks are moved: by an hour, by half of one, by two, by three, over midnight, by a day. */
const CHANGES = [
  ["Europe/Berlin", "2026-03-29"],
  ["Europe/Berlin", "2026-10-25"],
  ["America/New_York", "2026-03-08"],
  ["America/New_York", "2026-11-01"],
  ["Australia/Lord_Howe", "2026-04-05"],
  ["Australia/Lord_Howe", "2026-10-04"],
  ["Antarctica/Troll", "2026-03-29"],
  ["Antarctica/Troll", "2026-10-25"],
  ["Africa/Cairo", "2026-04-24"],
  ["Africa/Cairo", "2026-10-30"],
  ["Antarctica/Casey", "2023-03-09"],
  ["America/Havana", "2026-11-01"],
  ["Pacific/Apia", "2011-12-30"],
  ["Asia/Kolkata", "2026-01-01"],
  ["UTC", "2028-02-29"]
] as const

/** The values of a field, read in a way of its own: `*`, `7`, `1-9`, `*\/5`, `10-50/20`, and lists of these. */
const valuesOf = (field: string, minimum: number, maximum: number): ReadonlySet<number> =>
  new Set(
    field.split(",").flatMap((part) => {
      const [range = "", step = "1"] = part.split("/")
      const [first = minimum, last = range === "*" ? maximum : first] =
        range === "*" ? [] : range.split("-").map(Number)
      return Array.from({ length: maximum + 1 }, (_, value) => value).filter(
        (value) => value >= first && value <= last && (value - first) % Number(step) === 0
      )
    })
  )

/** Every moment between two at which the expression is due, by a walk over each minute of the zone's clock. */
const walked = (cron: string, timezone: string, from: number, until: number): ReadonlyArray<number> => {
  const [minutes = "", hours = "", days = "", months = "", weekdays = ""] = cron.split(" ")
  const [minute, hour] = [valuesOf(minutes, 0, 59), valuesOf(hours, 0, 23)]
  const [day, month, weekday] = [valuesOf(days, 1, 31), valuesOf(months, 1, 12), valuesOf(weekdays, 0, 6)]
  const isEither = !days.startsWith("*") && !weekdays.startsWith("*")
  const matches = (shown: number): boolean => {
    const date = new Date(shown)
    const [isDay, isWeekday] = [day.has(date.getUTCDate()), weekday.has(date.getUTCDay())]
    return (
      minute.has(date.getUTCMinutes()) &&
      hour.has(date.getUTCHours()) &&
      month.has(date.getUTCMonth() + 1) &&
      (isEither ? isDay || isWeekday : isDay && isWeekday)
    )
  }
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: timezone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric"
  })
  const shownAt = (moment: number): number => {
    const read = Object.fromEntries(parts.formatToParts(moment).map(({ type, value }) => [type, Number(value)]))
    return Date.UTC(read.year ?? 0, (read.month ?? 1) - 1, read.day ?? 1, read.hour ?? 0, read.minute ?? 0)
  }
  const due = new Set<number>()
  // The latest that the clock has shown: what is not later comes again.
  const start = Math.floor(from / MINUTE) * MINUTE - 5 * HOUR
  let latest = shownAt(start)
  for (let moment = start + MINUTE; moment <= until; moment += MINUTE) {
    const shown = shownAt(moment)
    if (hour.size === 24) {
      if (matches(shown)) due.add(moment)
    } else {
      for (let each = latest + MINUTE; each <= shown; each += MINUTE) if (matches(each)) due.add(moment)
    }
    latest = Math.max(latest, shown)
  }
  return [...due].filter((moment) => moment > from && moment <= until).sort((one, other) => one - other)
}

/** The same by the timetable. */
const timesOf = (cron: string, timezone: string, from: number, until: number): ReadonlyArray<number> => {
  const { next } = Result.getOrThrow(parseTimetable(cron, timezone))
  const found: Array<number> = []
  for (let at = next(DateTime.makeUnsafe(from)); DateTime.toEpochMillis(at) <= until; at = next(at)) {
    found.push(DateTime.toEpochMillis(at))
  }
  return found
}

const iso = (moments: ReadonlyArray<number>) => moments.map((moment) => new Date(moment).toISOString())

const Value = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 59 }))

/** A field of an expression: its form, and the numbers that it is made of. */
const Field = Schema.Struct({
  form: Schema.Literals(["every", "one", "list", "range", "step"]),
  values: Schema.Tuple([Value, Value, Value])
})

/** An expression whose time is likely to be in the first hours of a day, in which clocks are moved. */
const Expression = Schema.Struct({
  change: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: CHANGES.length - 1 })),
  second: Value,
  minute: Field,
  isEarly: Schema.Boolean,
  hour: Field,
  isDaily: Schema.Boolean,
  day: Field,
  weekday: Field
})

const writeField = ({ form, values }: typeof Field.Type, minimum: number, maximum: number): string => {
  const [one, other, third] = values.map((value) => minimum + (value % (maximum - minimum + 1))) as [
    number,
    number,
    number
  ]
  switch (form) {
    case "every":
      return "*"
    case "one":
      return String(one)
    case "list":
      return `${one},${other},${third}`
    case "range":
      return `${Math.min(one, other)}-${Math.max(one, other)}`
    case "step":
      return `*/${1 + (one % Math.max(1, Math.floor(maximum / 2)))}`
  }
}

const writeExpression = ({ day, hour, isDaily, isEarly, minute, weekday }: typeof Expression.Type): string => {
  const calendar = isDaily ? "* * *" : `${writeField(day, 1, 31)} * ${writeField(weekday, 0, 6)}`
  return `${writeField(minute, 0, 59)} ${writeField(hour, 0, isEarly ? 4 : 23)} ${calendar}`
}

describe("a timetable", () => {
  it.effect(
    "has the times that a walk over each minute of the zone's clock finds, also where clocks are moved",
    () =>
      Effect.gen(function* () {
        const property = (given: typeof Expression.Type) =>
          Effect.try({
            try: () => {
              const [timezone, day] = CHANGES[given.change]!
              const cron = writeExpression(given)
              const from = Date.parse(`${day}T00:00:00Z`) - 26 * HOUR + given.second * 1_000
              const until = from + 60 * HOUR
              assert.deepStrictEqual(
                iso(timesOf(cron, timezone, from, until)),
                iso(walked(cron, timezone, from, until)),
                `${cron} in ${timezone}`
              )
              return true
            },
            catch: String
          })
        const result = yield* Arbitrary.checkEffect(Arbitrary.schema(Expression), property, { runs: 25, size: 100 })
        assert.isUndefined(Arbitrary.formatCheckFailure(result))
      }),
    60_000
  )
})
