import { spendMonthAt, spendPeriod, timezoneAt, type Workspace, withTimezone } from "@agent-platform/keys"
import { aWorkspace } from "@agent-platform/keys/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"

const at = (text: string) => DateTime.makeUnsafe(text)

const periodOf = (workspace: Workspace, now: string) => {
  const { end, start } = spendPeriod(workspace, at(now))
  return [DateTime.formatIso(start), DateTime.formatIso(end)]
}

describe("the month in which a workspace spends", () => {
  const months: ReadonlyArray<readonly [string, string, string, string, string]> = [
    ["begins and ends at midnight in UTC", "UTC", "2026-11-21T05:15:00Z", "2026-11-01T00:00", "2026-12-01T00:00"],
    ["holds its first moment", "UTC", "2026-11-01T00:00:00Z", "2026-11-01T00:00", "2026-12-01T00:00"],
    ["holds its last millisecond", "UTC", "2026-11-30T23:59:59.999Z", "2026-11-01T00:00", "2026-12-01T00:00"],
    ["runs over the end of a year", "UTC", "2026-12-31T12:00:00Z", "2026-12-01T00:00", "2027-01-01T00:00"],
    ["knows leap years", "UTC", "2028-02-29T12:00:00Z", "2028-02-01T00:00", "2028-03-01T00:00"],
    [
      "is longer by an hour as summer ends",
      "Europe/Berlin",
      "2026-10-15T00:00Z",
      "2026-09-30T22:00",
      "2026-10-31T23:00"
    ],
    ["is shorter as it begins", "Europe/Berlin", "2026-03-15T00:00Z", "2026-02-28T23:00", "2026-03-31T22:00"],
    ["is ahead of UTC by a half hour", "Asia/Kolkata", "2026-10-31T18:30:00Z", "2026-10-31T18:30", "2026-11-30T18:30"],
    ["is ahead by three quarters", "Asia/Kathmandu", "2026-11-21T00:00Z", "2026-10-31T18:15", "2026-11-30T18:15"],
    ["is ahead by fourteen hours", "Pacific/Kiritimati", "2026-10-31T10:00Z", "2026-10-31T10:00", "2026-11-30T10:00"],
    ["is behind UTC", "America/Los_Angeles", "2026-11-01T06:59:59Z", "2026-10-01T07:00", "2026-11-01T07:00"],
    [
      "ends in another time than it began",
      "America/Los_Angeles",
      "2026-11-02T00:00Z",
      "2026-11-01T07:00",
      "2026-12-01T08:00"
    ],
    // On 1 October 2017 the clocks of Asunción went from midnight to one o'clock.
    [
      "begins where the clock jumps over midnight",
      "America/Asuncion",
      "2017-10-15T00:00Z",
      "2017-10-01T04:00",
      "2017-11-01T03:00"
    ],
    // On 1 November 2015 the clocks of Havana went from one o'clock back to midnight.
    [
      "begins at the first of two midnights",
      "America/Havana",
      "2015-11-01T04:30:00Z",
      "2015-11-01T04:00",
      "2015-12-01T05:00"
    ]
  ]
  for (const [title, timezone, now, start, end] of months) {
    it(title, () => {
      const expected = [`${start}:00.000Z`, `${end}:00.000Z`]
      assert.deepStrictEqual(periodOf(aWorkspace({ timezone }), now), expected)
    })
  }
})

describe("a change of time zone", () => {
  const change = (from: string, to: string, now: string) => withTimezone(aWorkspace({ timezone: from }), to, at(now))

  it("holds from the beginning of the next month there", () => {
    const workspace = change("UTC", "Europe/Berlin", "2026-11-21T05:15:00Z")
    const from = at("2026-11-30T23:00:00Z")
    assert.deepStrictEqual([workspace.timezone, workspace.nextTimezone], ["UTC", { timezone: "Europe/Berlin", from }])
    assert.strictEqual(timezoneAt(workspace, at("2026-11-30T22:59:59.999Z")), "UTC")
    assert.strictEqual(timezoneAt(workspace, from), "Europe/Berlin")
  })

  it("ends the last month before where the first one after it begins", () => {
    const eastward = change("America/Los_Angeles", "Asia/Kolkata", "2026-11-21T00:00:00Z")
    assert.deepStrictEqual(periodOf(eastward, "2026-11-21T00:00:00Z"), [
      "2026-11-01T07:00:00.000Z",
      "2026-11-30T18:30:00.000Z"
    ])
    assert.deepStrictEqual(periodOf(eastward, "2026-11-30T18:30:00Z"), [
      "2026-11-30T18:30:00.000Z",
      "2026-12-31T18:30:00.000Z"
    ])
  })

  it("prolongs the last month where the new zone is behind, though its own calendar says that it is over", () => {
    const westward = change("Asia/Kolkata", "America/Los_Angeles", "2026-11-21T00:00:00Z")
    const november = ["2026-10-31T18:30:00.000Z", "2026-12-01T08:00:00.000Z"]
    for (const now of ["2026-11-21T00:00:00Z", "2026-11-30T18:30:00Z", "2026-12-01T07:59:59.999Z"]) {
      assert.deepStrictEqual(periodOf(westward, now), november)
    }
    assert.deepStrictEqual(periodOf(westward, "2026-12-01T08:00:00Z"), [
      "2026-12-01T08:00:00.000Z",
      "2027-01-01T08:00:00.000Z"
    ])
  })

  it("waits a month longer where the next one has begun there already", () => {
    const now = "2026-11-30T20:00:00Z"
    const workspace = change("UTC", "Pacific/Kiritimati", now)
    assert.deepStrictEqual(workspace.nextTimezone?.from, at("2026-12-31T10:00:00Z"))
    assert.deepStrictEqual(periodOf(workspace, now), periodOf(aWorkspace(), now))
  })

  it("leaves the present month as it began", () => {
    for (const to of ["Pacific/Kiritimati", "America/Los_Angeles", "Asia/Kolkata", "Europe/Berlin"]) {
      for (const now of ["2026-11-01T00:00:00Z", "2026-11-15T12:00:00Z", "2026-11-30T23:59:59.999Z"]) {
        const [start] = periodOf(change("UTC", to, now), now)
        assert.strictEqual(start, "2026-11-01T00:00:00.000Z", `${to} at ${now}`)
      }
    }
  })

  it("tiles a year without gap and overlap, whatever zone follows which", () => {
    const zones = ["UTC", "Pacific/Kiritimati", "America/Los_Angeles", "Asia/Kolkata", "America/Havana"]
    for (const from of zones) {
      for (const to of zones) {
        const workspace = change(from, to, "2026-06-30T23:30:00Z")
        let period = spendPeriod(workspace, at("2026-01-15T00:00:00Z"))
        for (let count = 0; count < 11; count++) {
          const last = DateTime.subtract(period.end, { milliseconds: 1 })
          assert.deepStrictEqual(spendPeriod(workspace, last), period, `${from} to ${to}`)
          const next = spendPeriod(workspace, period.end)
          assert.deepStrictEqual(next.start, period.end, `${from} to ${to}`)
          period = next
        }
      }
    }
  })

  it("is replaced by a later one, and taken back by choosing the present zone", () => {
    const now = at("2026-11-21T00:00:00Z")
    const once = withTimezone(aWorkspace(), "Europe/Berlin", now)
    const twice = withTimezone(once, "Asia/Kolkata", now)
    assert.strictEqual(twice.timezone, "UTC")
    assert.strictEqual(twice.nextTimezone?.timezone, "Asia/Kolkata")
    assert.deepStrictEqual(withTimezone(twice, "UTC", now), { ...once, nextTimezone: null })
  })

  it("builds on the zone that holds by then", () => {
    const once = withTimezone(aWorkspace(), "Europe/Berlin", at("2026-11-21T00:00:00Z"))
    const twice = withTimezone(once, "Asia/Kolkata", at("2026-12-21T00:00:00Z"))
    assert.strictEqual(twice.timezone, "Europe/Berlin")
    assert.deepStrictEqual(twice.nextTimezone, { timezone: "Asia/Kolkata", from: at("2026-12-31T18:30:00Z") })
  })
})

describe("the month at a time", () => {
  it("is the same whichever was asked for before, of whichever workspace", () => {
    const moved = withTimezone(aWorkspace({ timezone: "Asia/Kolkata" }), "America/Los_Angeles", at("2026-11-21T00:00Z"))
    const workspaces = [aWorkspace({ timezone: "UTC" }), aWorkspace({ timezone: "Asia/Kolkata" }), moved]
    const ends = workspaces.map((workspace) => spendPeriod(workspace, at("2026-11-21T00:00Z")).end)
    const times = ends.flatMap((end) =>
      [-1, 0, 1, -40 * 86_400_000].map((millis) => DateTime.add(end, { milliseconds: millis }))
    )
    for (const time of [...times, ...times.reverse()]) {
      for (const workspace of workspaces) {
        const { end, month, start } = spendMonthAt(workspace, time)
        assert.deepStrictEqual({ start, end }, spendPeriod(workspace, time))
        assert.strictEqual(spendMonthAt(workspace, time).month, month)
      }
    }
  })
})
