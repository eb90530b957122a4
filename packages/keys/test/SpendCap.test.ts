import { isSameCap } from "@agent-platform/keys"
import { assert, describe, it } from "@effect/vitest"

describe("caps", () => {
  it("are the same however many zeros they are written with", () => {
    assert.isTrue(isSameCap("12.5", "12.500000000000"))
    assert.isTrue(isSameCap(null, null))
    for (const other of ["12.51", "0.00", null]) assert.isFalse(isSameCap("12.5", other))
  })
})
