import { makeRedactor } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"

describe("a redactor", () => {
  it("knows secrets by their value, with and without their scheme, and others by their form", () => {
    const { json, known, text } = makeRedactor("Bearer very-secret-value", "short")
    assert.strictEqual(known("a very-secret-value b"), "a [redacted: secret] b")
    assert.strictEqual(known("short"), "short")
    assert.notInclude(text("ghp_abcdefghijklmnopqrstuvwxyz0123"), "ghp_abc")
    assert.deepStrictEqual(json({ "very-secret-value": ["very-secret-value"] }), {
      "[redacted: secret]": ["[redacted: secret]"]
    })
  })

  it("finds secrets inside of JSON, whatever characters they have, and nothing of its form", () => {
    const secret = 'Digest "quoted\\value" (a|b)*'
    assert.deepStrictEqual(makeRedactor(secret).knownIn({ body: `You sent ${secret}`, status: 200 }), {
      body: "You sent [redacted: secret]",
      status: 200
    })
    assert.deepStrictEqual(makeRedactor('"status":200').knownIn({ body: "", status: 200 }), { body: "", status: 200 })
  })

  it("knows a secret that was written as JSON or into a URL before it came", () => {
    const secret = 'Bearer a"quoted\\value/with spaces'
    const { known } = makeRedactor(secret)
    assert.strictEqual(known(JSON.stringify({ sent: secret })), '{"sent":"[redacted: secret]"}')
    assert.strictEqual(known(`?sent=${encodeURIComponent(secret)}&x=1`), "?sent=[redacted: secret]&x=1")
  })

  it("learns further secrets as it goes", () => {
    const { add, known } = makeRedactor("the-first-secret")
    assert.strictEqual(known("the-second-secret"), "the-second-secret")
    add("the-second-secret")
    assert.strictEqual(known("the-first-secret, the-second-secret"), "[redacted: secret], [redacted: secret]")
  })

  it("replaces the whole of a long secret, of those that begin alike the one that is there, and the beginning of one that was cut off", () => {
    const head = "h".repeat(40)
    const { known } = makeRedactor(`${head}-one-and-more`, `${head}-two`, `${head}-two-and-more`)
    assert.strictEqual(known(`a ${head}-one-and-more b`), "a [redacted: secret] b")
    assert.strictEqual(known(`a ${head}-two-and-more b`), "a [redacted: secret] b")
    assert.strictEqual(known(`a ${head}-two b`), "a [redacted: secret] b")
    assert.strictEqual(known(`a ${head}-on`), "a [redacted: secret]")
  })

  it("replaces the longer of two secrets of which one stands in the other", () => {
    assert.strictEqual(makeRedactor("password", "password-of-ours").known("password-of-ours"), "[redacted: secret]")
  })

  it("takes time in proportion to the text, whatever the secrets are like", () => {
    // Looked for one by one and as they are, these take half a minute.
    const secrets = Array.from({ length: 320 }, (_, number) => `${"a".repeat(2_000)}b${number}${"a".repeat(2_000)}`)
    const text = "a".repeat(64 * 1024)
    assert.notInclude(makeRedactor(...secrets).known(`${text} and the end`), "a".repeat(33))
  })
})
