import { capStatus, countsAsReached, dueNotice, NO_SPEND, verdictOn } from "@agent-platform/billing"
import { costing } from "@agent-platform/billing/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"

const NOW = DateTime.makeUnsafe("2026-11-21T05:15:00Z")
const spend = { spentUsd: "0.70", reservedUsd: "0.20" }
const call = {
  ...costing("0.10"),
  outputTokensMax: 100,
  outputTokensMin: 100,
  workspaceCapUsd: "1.00",
  runCapUsd: null
}
const granted = (amountUsd: string | null, outputTokensMax = 100) =>
  ({ _tag: "Reserved", outputTokensMax, amountUsd }) as const

describe("a call under caps", () => {
  it("is admitted while it fits with all that is under way, to the last decimal", () => {
    assert.deepStrictEqual(verdictOn(call, spend, NO_SPEND), granted("0.10"))
    const refused = { _tag: "Refused", by: "workspace", spend, isWaiting: true } as const
    assert.deepStrictEqual(verdictOn({ ...call, ...costing("0.100000000001") }, spend, NO_SPEND), refused)
    const uncapped = { ...call, ...costing("1000000"), workspaceCapUsd: null }
    assert.deepStrictEqual(verdictOn(uncapped, spend, spend), granted("1000000.00"))
  })

  it("is held to the run's cap by what the run alone spends", () => {
    const capped = { ...call, workspaceCapUsd: null, runCapUsd: "1.00" }
    assert.deepStrictEqual(verdictOn(capped, NO_SPEND, spend), granted("0.10"))
    const refused = { _tag: "Refused", by: "run", spend, isWaiting: true } as const
    assert.deepStrictEqual(verdictOn({ ...capped, ...costing("0.11") }, NO_SPEND, spend), refused)
  })

  it("is refused for the workspace's cap where neither admits it", () => {
    const verdict = verdictOn({ ...call, ...costing("5"), runCapUsd: "0.10" }, NO_SPEND, spend)
    assert.deepStrictEqual(verdict, { _tag: "Refused", by: "workspace", spend: NO_SPEND, isWaiting: false })
  })

  it("waits only while what is held back may be given back, under both caps", () => {
    const isWaiting = (amountUsd: string, runCapUsd: string | null) => {
      const verdict = verdictOn({ ...call, ...costing(amountUsd), runCapUsd }, spend, spend)
      return verdict._tag === "Refused" && verdict.isWaiting
    }
    assert.isTrue(isWaiting("0.30", null))
    assert.isFalse(isWaiting("0.300000000001", null))
    assert.isFalse(isWaiting("0.30", "0.99"))
  })

  it("without a price holds back nothing", () =>
    assert.deepStrictEqual(
      verdictOn({ ...call, ...costing(null) }, { spentUsd: "1.00", reservedUsd: "0.00" }, spend),
      granted(null)
    ))

  it("is granted as many output tokens as both caps leave, down to the fewest that are of use", () => {
    const rates = { baseUsd: "0.01", outputTokenUsd: "0.001" }
    const short = { ...call, rates, outputTokensMin: 20 }
    assert.deepStrictEqual(verdictOn(short, spend, NO_SPEND), granted("0.10", 90))
    assert.deepStrictEqual(verdictOn({ ...short, runCapUsd: "0.95" }, spend, spend), granted("0.05", 40))
    const full = { spentUsd: "0.70", reservedUsd: "0.270000000001" }
    assert.deepStrictEqual(verdictOn(short, full, NO_SPEND), {
      _tag: "Refused",
      by: "workspace",
      spend: full,
      isWaiting: true
    })
    const spent = { spentUsd: "0.970000000001", reservedUsd: "0.00" }
    assert.deepInclude(verdictOn(short, spent, NO_SPEND), { _tag: "Refused", isWaiting: false })
  })
})

describe("a month under a cap", () => {
  it("is reached by a refused call once nineteen twentieths are spent", () => {
    assert.isFalse(countsAsReached({ spentUsd: "0.949999999999" }, "1.00"))
    assert.isTrue(countsAsReached({ spentUsd: "0.95" }, "1.00"))
    assert.isTrue(countsAsReached({ spentUsd: "0.00" }, "0.00"))
  })

  const cases: ReadonlyArray<readonly [string | null, string, string]> = [
    [null, "1000000.00", "ok"],
    ["100.00", "0.00", "ok"],
    ["100.00", "79.999999999999", "ok"],
    ["100.00", "80.00", "near"],
    ["100.00", "99.999999999999", "near"],
    ["100.00", "100", "reached"],
    ["100.00", "250.00", "reached"],
    // As floating point numbers, 0.1 + 0.2 would be over and 999999999999.000000000001 would be the cap.
    ["0.30", "0.299999999999", "near"],
    ["999999999999.000000000001", "999999999999.00", "near"],
    ["0.000000000010", "0.000000000008", "near"],
    ["0.00", "0.00", "reached"]
  ]
  for (const [cap, spentUsd, status] of cases) {
    it(`is ${status} at ${spentUsd} of ${cap ?? "no cap"}`, () =>
      assert.strictEqual(capStatus({ spentUsd, reachedCapUsd: null }, cap), status))
  }

  it("in which nothing was spent has reached a cap of nothing alone", () => {
    assert.strictEqual(capStatus(undefined, null), "ok")
    assert.strictEqual(capStatus(undefined, "0.01"), "ok")
    assert.strictEqual(capStatus(undefined, "0.00"), "reached")
  })

  it("has reached it where a call was refused for this cap or a higher one, and not one that was raised since", () => {
    assert.strictEqual(capStatus({ spentUsd: "0.95", reachedCapUsd: "1.00" }, "1.00"), "reached")
    assert.strictEqual(capStatus({ spentUsd: "0.10", reachedCapUsd: "2.00" }, "1.00"), "reached")
    assert.strictEqual(capStatus({ spentUsd: "0.10", reachedCapUsd: "1.00" }, "1.01"), "ok")
    assert.strictEqual(capStatus({ spentUsd: "0.10", reachedCapUsd: "1.00" }, null), "ok")
  })

  it("makes each notice due once, and that of a higher cap again", () => {
    const month = { spentUsd: "0.80", reachedCapUsd: null, nearAt: null }
    const reached = { ...month, spentUsd: "1.00" }
    assert.isUndefined(dueNotice(month, null))
    assert.isUndefined(dueNotice({ ...month, spentUsd: "0.799999999999" }, "1.00"))
    assert.strictEqual(dueNotice(month, "1.00"), "near")
    assert.isUndefined(dueNotice({ ...month, nearAt: NOW }, "1.00"))
    assert.strictEqual(dueNotice(reached, "1.00"), "reached")
    assert.isUndefined(dueNotice({ ...reached, reachedCapUsd: "1.00" }, "1.00"))
    assert.strictEqual(dueNotice({ ...reached, spentUsd: "2.00", reachedCapUsd: "1.00" }, "2.00"), "reached")
  })
})
