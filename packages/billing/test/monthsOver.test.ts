import type { BillingMonth, WorkspaceCalendar } from "@agent-platform/billing"
import { aCalendar } from "@agent-platform/billing/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { monthAt } from "../src/use-cases/analytics/monthsOver.ts"

const at = (text: string) => DateTime.makeUnsafe(text)
const iso = (time: DateTime.Utc) => DateTime.formatIso(time).slice(0, 16)
const shown = ({ end, month, start, timezone }: BillingMonth) => [month, timezone, iso(start), iso(end)]

/** The calendar of a workspace whose zone changes with December. */
const changing = (before: string, after: string): WorkspaceCalendar => {
  const december = aCalendar(after).monthNamed("2026-12")
  const november = { ...aCalendar(before).monthNamed("2026-11"), end: december.start }
  const monthNamed = (name: string) =>
    name === "2026-11" ? november : aCalendar(name < "2026-12" ? before : after).monthNamed(name)
  return {
    zones: `${before} ${after}`,
    monthNamed,
    monthAt: (time) => (DateTime.isLessThan(time, december.start) ? november : december)
  }
}

describe("a month that was kept before the zone of the next was chosen", () => {
  for (const [before, after] of [
    ["Asia/Tokyo", "America/Los_Angeles"],
    ["America/Los_Angeles", "Asia/Tokyo"]
  ] as const) {
    it(`ends where that begins, from ${before} to ${after}`, () => {
      const calendar = changing(before, after)
      const november = aCalendar(before).monthNamed("2026-11")
      const december = calendar.monthNamed("2026-12")
      const last = DateTime.subtract(december.start, { minutes: 15 })
      const expected = ["2026-11", before, iso(november.start), iso(december.start)]
      assert.deepStrictEqual(shown(monthAt([november], calendar, last)), expected)
      assert.deepStrictEqual(monthAt([november], calendar, december.start), december)
      // The same once both are kept, in either order.
      assert.deepStrictEqual(shown(monthAt([december, november], calendar, last)), expected)
      assert.deepStrictEqual(monthAt([december, november], calendar, december.start), december)
    })
  }

  it("keeps its zone when the present calendar does not know it any more", () => {
    const kept = ["2026-10", "2026-11"].map((name) => aCalendar("Asia/Tokyo").monthNamed(name))
    const present = aCalendar("UTC")
    assert.deepStrictEqual(monthAt(kept, present, at("2026-10-05T00:00:00Z")), kept[0])
    assert.strictEqual(monthAt(kept, present, at("2026-11-05T00:00:00Z")).timezone, "Asia/Tokyo")
    assert.strictEqual(monthAt(kept, present, at("2026-09-05T00:00:00Z")).timezone, "UTC")
    assert.deepStrictEqual(iso(monthAt(kept, present, at("2026-09-05T00:00:00Z")).end), "2026-09-30T15:00")
  })
})
