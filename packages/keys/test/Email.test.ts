import { EMAIL_LENGTH_MAX, parseEmail } from "@agent-platform/keys"
import { assert, describe, it } from "@effect/vitest"

describe("an e-mail address", () => {
  it("is kept trimmed and in lower case", () => {
    assert.strictEqual(parseEmail(" \tAda.Lovelace+Agents@Example.COM\n"), "ada.lovelace+agents@example.com")
  })

  it("keeps letters beyond A to Z as they are, so that no other address is made of it", () => {
    // The Kelvin sign and the dotted capital I of Turkish become ASCII letters by lower-casing.
    assert.strictEqual(parseEmail("\u212Aate@example.com"), "\u212Aate@example.com")
    assert.notStrictEqual(parseEmail("\u0130van@example.com"), parseEmail("Ivan@example.com"))
    assert.strictEqual(parseEmail("größe@exämple.com"), "größe@exämple.com")
  })

  it("may be as long as the standard allows", () => {
    const domain = `${"d".repeat(60)}.`.repeat(3)
    const longest = `${"a".repeat(64)}@${domain}${"e".repeat(EMAIL_LENGTH_MAX - 65 - domain.length)}`
    assert.strictEqual(longest.length, EMAIL_LENGTH_MAX)
    assert.strictEqual(parseEmail(longest), longest)
    assert.isUndefined(parseEmail(`${longest}e`))
    assert.isUndefined(parseEmail(`${"a".repeat(65)}@example.com`))
  })

  const implausible = [
    "",
    "ada",
    "@example.com",
    "ada@",
    "ada@example",
    "ada@example.",
    "ada@.com",
    "ada@exam..ple.com",
    "ada@-example.com",
    "ada@@example.com",
    "ada@example.com@example.org",
    "ada lovelace@example.com",
    "ada@exam ple.com",
    ".ada@example.com",
    "ada.@example.com",
    "a..da@example.com",
    "Ada <ada@example.com>",
    "ada@example.com,bob@example.com",
    '"ada"@example.com',
    "ada@[127.0.0.1]",
    "ada\u0000@example.com",
    "ada\u200B@example.com",
    "ada\uD800@example.com",
    "ada\r\nBcc: bob@example.com"
  ]
  for (const text of implausible) {
    it(`is not ${JSON.stringify(text)}`, () => assert.isUndefined(parseEmail(text)))
  }
})
