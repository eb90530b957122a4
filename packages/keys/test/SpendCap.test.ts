import { isSameCap, spendStatus } from "@agent-platform/keys"
import { assert, describe, it } from "@effect/vitest"

describe("how a workspace stands to its cap", () => {
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
  for (const [cap, spent, status] of cases) {
    it(`is ${status} at ${spent} of ${cap ?? "no cap"}`, () => {
      assert.strictEqual(spendStatus(cap, spent), status)
    })
  }

  it("is reached where a call was refused for this cap or a higher one, and not for one that was raised since", () => {
    assert.strictEqual(spendStatus("1.00", "0.95", "1.00"), "reached")
    assert.strictEqual(spendStatus("1.00", "0.10", "2.00"), "reached")
    assert.strictEqual(spendStatus("1.01", "0.10", "1.00"), "ok")
    assert.strictEqual(spendStatus(null, "0.10", "1.00"), "ok")
  })

  it("is the same cap however many zeros it is written with", () => {
    assert.isTrue(isSameCap("12.5", "12.500000000000"))
    assert.isTrue(isSameCap(null, null))
    for (const other of ["12.51", "0.00", null]) assert.isFalse(isSameCap("12.5", other))
  })
})
