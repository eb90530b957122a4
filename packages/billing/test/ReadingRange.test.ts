import { type BillingMonth, hoursOf, rangeOf, spansOf } from "@agent-platform/billing"
import { aCalendar } from "@agent-platform/billing/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"

const at = (text: string) => DateTime.makeUnsafe(text)
const iso = (time: DateTime.Utc) => DateTime.formatIso(time).slice(0, 16)
const monthsOf = (timezone: string, ...names: ReadonlyArray<string>): ReadonlyArray<BillingMonth> =>
  names.map((name) => aCalendar(timezone).monthNamed(name))
const span = (since: string, until: string) => ({ since: at(since), until: at(until) })
const asSpan = ({ since, until }: ReturnType<typeof span>) => ({ start: since, end: until })

const reasonOf = <A>(result: Result.Result<A, { readonly parameter: string; readonly reason: string }>) =>
  Result.isFailure(result) ? `${result.failure.parameter} ${result.failure.reason}` : "taken"

const shown = (given: ReturnType<typeof span>, months: ReadonlyArray<BillingMonth>) => {
  const { days, hours } = Result.getOrThrow(spansOf(given, asSpan(given), months))
  const text = ({ end, start }: { readonly start: DateTime.Utc; readonly end: DateTime.Utc }) =>
    `${iso(start)} ${iso(end)}`
  return { days: days && text(days), hours: hours.map(text) }
}

describe("the time of a reading", () => {
  it("is the last 30 days with the present hour by default", () => {
    const now = at("2026-11-21T05:15:00.123Z")
    const { end, start } = rangeOf({ since: undefined, until: undefined }, "UTC", now)
    assert.deepStrictEqual([iso(start), iso(end)], ["2026-10-22T06:00", "2026-11-21T06:00"])
    const since = at("2026-11-20T00:00:00Z")
    assert.deepStrictEqual(rangeOf({ since, until: undefined }, "UTC", now), { start: since, end })
  })

  it("is read by whole days, with the hours before and behind them", () => {
    const months = monthsOf("Europe/Berlin", "2026-11")
    assert.deepStrictEqual(shown(span("2026-11-02T04:00:00Z", "2026-11-20T01:00:00Z"), months), {
      days: "2026-11-02T23:00 2026-11-19T23:00",
      hours: ["2026-11-02T04:00 2026-11-02T23:00", "2026-11-19T23:00 2026-11-20T01:00"]
    })
    assert.deepStrictEqual(shown(span("2026-11-02T23:00:00Z", "2026-11-03T23:00:00Z"), months), {
      days: "2026-11-02T23:00 2026-11-03T23:00",
      hours: []
    })
  })

  it("is read by hours alone where it holds no whole day", () => {
    const months = monthsOf("UTC", "2026-11")
    assert.deepStrictEqual(shown(span("2026-11-02T04:00:00Z", "2026-11-03T23:00:00Z"), months), {
      days: undefined,
      hours: ["2026-11-02T04:00 2026-11-03T23:00"]
    })
  })

  it("has full hours for bounds, in UTC or on the clock of the workspace", () => {
    const months = monthsOf("Asia/Kolkata", "2026-11")
    const refused = (since: string, until: string) => {
      const given = span(since, until)
      return reasonOf(spansOf(given, asSpan(given), months))
    }
    assert.strictEqual(refused("2026-11-02T00:00:00Z", "2026-11-03T00:30:00Z"), "taken")
    assert.strictEqual(refused("2026-11-02T00:15:00Z", "2026-11-03T00:00:00Z"), "since not_whole_hour")
    assert.strictEqual(refused("2026-11-02T00:00:00Z", "2026-11-03T00:00:00.001Z"), "until not_whole_hour")
  })

  it("has 744 hours at most as a series, which begin with full ones of the workspace's clock", () => {
    const hours = (timezone: string, since: string, until: string, ...names: ReadonlyArray<string>) => {
      const given = span(since, until)
      return hoursOf(given, asSpan(given), monthsOf(timezone, ...names))
    }
    const all = Result.getOrThrow(hours("UTC", "2026-10-01T00:00:00Z", "2026-11-01T00:00:00Z", "2026-10"))
    assert.strictEqual(all.length, 744)
    assert.strictEqual(
      reasonOf(hours("UTC", "2026-10-01T00:00:00Z", "2026-11-01T01:00:00Z", "2026-10", "2026-11")),
      "since too_long"
    )
    const cut = Result.getOrThrow(hours("Asia/Kolkata", "2026-11-02T00:00:00Z", "2026-11-02T02:00:00Z", "2026-11"))
    assert.deepStrictEqual(cut.map(iso), ["2026-11-02T00:00", "2026-11-02T00:30", "2026-11-02T01:30"])
    const autumn = Result.getOrThrow(hours("Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", "2026-10"))
    assert.strictEqual(autumn.length, 25)
    const halfBack = Result.getOrThrow(
      hours("Australia/Lord_Howe", "2026-04-04T13:00:00Z", "2026-04-04T16:30:00Z", "2026-04")
    )
    assert.deepStrictEqual(halfBack.map(iso), [
      "2026-04-04T13:00",
      "2026-04-04T14:00",
      "2026-04-04T15:00",
      "2026-04-04T15:30"
    ])
  })
})
