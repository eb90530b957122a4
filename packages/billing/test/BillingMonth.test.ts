import {
  type BillingMonth,
  cellStart,
  dayAt,
  daysOf,
  isFinal,
  isWholeHour,
  nextHour,
  withoutOverlap
} from "@agent-platform/billing"
import { aCalendar } from "@agent-platform/billing/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"

const at = (text: string) => DateTime.makeUnsafe(text)
const iso = (time: DateTime.Utc) => DateTime.formatIso(time).slice(0, 16)
const month = (timezone: string, name: string) => aCalendar(timezone).monthNamed(name)

describe("the days of a month", () => {
  const lengths: ReadonlyArray<readonly [string, string, string, number]> = [
    ["are all of 24 hours in UTC", "UTC", "2026-11", 30 * 24],
    ["have one of 25 hours as summer ends", "Europe/Berlin", "2026-10", 31 * 24 + 1],
    ["have one of 23 hours as it begins", "Europe/Berlin", "2026-03", 31 * 24 - 1],
    [
      "have one of 24 and a half where the clock goes back by half an hour",
      "Australia/Lord_Howe",
      "2026-04",
      30 * 24 + 0.5
    ],
    ["know leap years", "Asia/Kolkata", "2028-02", 29 * 24]
  ]
  for (const [title, timezone, name, hours] of lengths) {
    it(title, () => {
      const whole = month(timezone, name)
      const days = daysOf(whole)
      assert.strictEqual(days[0]?.date, `${name}-01`)
      assert.deepStrictEqual(days[0]?.start, whole.start)
      assert.deepStrictEqual(days.at(-1)?.end, whole.end)
      for (const [index, day] of days.entries()) {
        if (index > 0) assert.deepStrictEqual(day.start, days[index - 1]?.end)
        assert.deepStrictEqual(dayAt(whole, day.start), day)
        assert.deepStrictEqual(dayAt(whole, DateTime.subtract(day.end, { milliseconds: 1 })), day)
      }
      const millis = DateTime.toEpochMillis(whole.end) - DateTime.toEpochMillis(whole.start)
      assert.strictEqual(millis / 3_600_000, hours)
    })
  }

  it("begin when the gap ends where midnight is passed over", () => {
    const day = dayAt(month("America/Asuncion", "2017-10"), at("2017-10-01T05:00:00Z"))
    assert.deepStrictEqual([day.date, iso(day.start)], ["2017-10-01", "2017-10-01T04:00"])
  })

  it("have an empty one where a zone passes over a date", () => {
    const [passed] = daysOf(month("Pacific/Apia", "2011-12")).filter(
      ({ end, start }) => DateTime.toEpochMillis(start) === DateTime.toEpochMillis(end)
    )
    assert.strictEqual(passed?.date, "2011-12-30")
  })

  it("take in what lies behind the calendar's last day where the next month follows another zone", () => {
    const november: BillingMonth = { ...month("Asia/Tokyo", "2026-11"), end: at("2026-12-01T08:00:00Z") }
    const last = dayAt(november, at("2026-12-01T02:00:00Z"))
    assert.deepStrictEqual(
      [last.date, iso(last.start), iso(last.end)],
      ["2026-11-30", "2026-11-29T15:00", "2026-12-01T08:00"]
    )
  })
})

describe("a month that is kept beside others", () => {
  it("is cut where those begin and end, and else as it is", () => {
    const [october, november, december] = ["2026-10", "2026-11", "2026-12"].map((name) => month("UTC", name))
    if (october === undefined || november === undefined || december === undefined) return assert.fail()
    assert.deepStrictEqual(withoutOverlap(november, []), november)
    assert.deepStrictEqual(withoutOverlap(november, [october, december]), november)
    const late = { ...october, end: at("2026-11-01T08:00:00Z") }
    const early = { ...december, start: at("2026-11-30T15:00:00Z") }
    assert.deepStrictEqual(withoutOverlap(november, [early, late]), { ...november, start: late.end, end: early.start })
  })
})

describe("the cell of a time", () => {
  const cells: ReadonlyArray<readonly [string, string, string, string]> = [
    ["is an hour where the zone is whole hours off", "Europe/Berlin", "2026-11-21T05:45:00Z", "2026-11-21T05:00"],
    ["begins with an hour of UTC", "Asia/Kolkata", "2026-11-21T05:15:00Z", "2026-11-21T05:00"],
    ["begins with an hour of the zone", "Asia/Kolkata", "2026-11-21T05:45:00Z", "2026-11-21T05:30"],
    ["knows quarters", "Asia/Kathmandu", "2026-11-21T05:30:00Z", "2026-11-21T05:15"],
    ["knows zones behind UTC", "America/St_Johns", "2026-11-21T05:45:00Z", "2026-11-21T05:30"]
  ]
  for (const [title, timezone, time, begins] of cells) {
    it(title, () => {
      assert.strictEqual(iso(cellStart(timezone, at(time))), begins)
    })
  }
})

describe("hours of a zone's clock", () => {
  it("are full ones there or in UTC", () => {
    const whole: ReadonlyArray<readonly [string, string, boolean]> = [
      ["UTC", "2026-11-21T05:00:00Z", true],
      ["UTC", "2026-11-21T05:30:00Z", false],
      ["UTC", "2026-11-21T05:00:00.001Z", false],
      ["Asia/Kolkata", "2026-11-21T05:30:00Z", true],
      ["Asia/Kolkata", "2026-11-21T05:00:00Z", true],
      ["Asia/Kolkata", "2026-11-21T05:30:01Z", false],
      ["Asia/Kathmandu", "2026-11-21T05:15:00Z", true]
    ]
    for (const [timezone, time, is] of whole)
      assert.strictEqual(isWholeHour(timezone, at(time)), is, `${timezone} ${time}`)
  })

  it("follow each other", () => {
    assert.strictEqual(iso(nextHour("UTC", at("2026-11-21T05:59:59.999Z"))), "2026-11-21T06:00")
    assert.strictEqual(iso(nextHour("Asia/Kolkata", at("2026-11-21T05:10:00Z"))), "2026-11-21T05:30")
  })
})

describe("a day", () => {
  it("is final 24 hours after its end, and not a millisecond before", () => {
    const end = at("2026-11-21T00:00:00Z")
    assert.isTrue(isFinal(end, at("2026-11-22T00:00:00Z")))
    assert.isFalse(isFinal(end, at("2026-11-21T23:59:59.999Z")))
  })
})
