/** Amounts, bars and files of usage. */
import { assert, describe, it } from "vitest"
import type { Month } from "../src/api/usage.ts"
import { leftOf } from "../src/screens/usage/leftOf.ts"
import { monthOf, monthsUntil } from "../src/screens/usage/months.ts"
import { costBars } from "../src/screens/usage/usageSeries.ts"
import { csvOf } from "../src/ui/csv.ts"

describe("the amount that a cap leaves", () => {
  it.each([
    ["10", "9.999999999999", "0", "0.000000000001"],
    ["0.3", "0.1", "0.2", "0.000000000000"],
    ["1", "2", "0.5", "0.000000000000"]
  ])("of %s after %s and %s is %s", (monthly_cap_usd, spent_usd, reserved_usd, left) => {
    assert.strictEqual(leftOf({ monthly_cap_usd, spent_usd, reserved_usd }), left)
  })

  it("is none without a cap", () => {
    assert.isNull(leftOf({ monthly_cap_usd: null, spent_usd: "1", reserved_usd: "0" }))
  })
})

describe("the cost of a month by model", () => {
  it("shows the dearest six and adds up the others", () => {
    const group = (model: string, cost: number) => ({ model, cost_usd: String(cost) })
    const groups = [1, 2, 3, 4, 5, 6, 7, 8].map((cost) => group(`m${cost}`, cost))
    const month = { by: ["model"], items: [{ date: "2026-11-01", groups }] } as unknown as Month
    const { days, series } = costBars(month)
    assert.deepStrictEqual(
      series.map(({ label }) => label),
      ["m8", "m7", "m6", "m5", "m4", "m3", "other models"]
    )
    assert.strictEqual(days[0]?.values[series.at(-1)?.id ?? ""], 3)
  })

  it("tells parts of one name apart, and knows a part by its name where there is one", () => {
    const group = (workspace_id: string | null, workspace_name: string | null) => ({
      workspace_id,
      workspace_name,
      cost_usd: "1"
    })
    const groups = [group("w1", "Main"), group("w2", "Main"), group("w3", null), group(null, null)]
    const month = { by: ["workspace_id"], items: [{ date: "2026-11-01", groups }] } as unknown as Month
    const { days, series } = costBars(month)
    assert.deepStrictEqual(
      series.map(({ id, label }) => [label, days[0]?.values[id]]),
      [
        ["Main", 1],
        ["Main", 1],
        ["w3", 1],
        ["other workspaces", 1]
      ]
    )
  })
})

describe("months", () => {
  it("go back over the turn of a year", () => {
    assert.deepStrictEqual(monthsUntil("2026-02").slice(0, 4), ["2026-02", "2026-01", "2025-12", "2025-11"])
  })

  it("of an address are only what is one", () => {
    assert.deepStrictEqual(["2026-11", "2026-13", "x", 7].map(monthOf), ["2026-11", undefined, undefined, undefined])
  })
})

describe("a file of values with commas", () => {
  it("quotes what needs it, and no spreadsheet takes a text for a formula", () => {
    assert.strictEqual(
      csvOf(
        ["a", "b"],
        [
          ['say "x", y', 1],
          ["=HYPERLINK(1)", -2],
          ["-2+cmd|x", "-0.5"]
        ]
      ),
      'a,b\r\n"say ""x"", y",1\r\n\'=HYPERLINK(1),-2\r\n\'-2+cmd|x,-0.5\r\n'
    )
  })
})
