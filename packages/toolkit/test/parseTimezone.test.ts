import { parseTimezone } from "@agent-platform/toolkit"
import { assert, describe, it } from "@effect/vitest"

describe("the name of a time zone", () => {
  it("is written as the IANA database has it", () => {
    assert.strictEqual(parseTimezone("europe/berlin"), "Europe/Berlin")
    assert.strictEqual(parseTimezone("UTC"), "UTC")
  })

  it("stays the one that was chosen where a zone has several", () => {
    for (const name of ["Asia/Kolkata", "Asia/Calcutta", "Europe/Kyiv"]) assert.strictEqual(parseTimezone(name), name)
  })

  for (const name of ["", "Europe/Atlantis", "+01:00", "-05:00", "Z", " UTC", "Europe/Berlin\u0000", "../etc"]) {
    it(`is not ${JSON.stringify(name)}`, () => assert.isUndefined(parseTimezone(name)))
  }
})
