import { redact, redactText } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"

const letters = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIjKlMnOpQ"

// Put together here, so that nobody who looks for secrets finds one in this file.
const secrets: ReadonlyArray<readonly [kind: string, before: string, secret: string]> = [
  ["api_key", "", `apk_${"ws"}_${letters.slice(0, 49)}`],
  ["api_key", "key=", `apk_${"org"}_${letters.slice(0, 49)}`],
  ["webhook_secret", "", `${"whsec"}_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw/+==`],
  ["provider_key", "", `sk-${"proj"}-${letters.slice(0, 40)}`],
  ["provider_key", "", `sk-${"ant"}-api03-${letters.slice(0, 40)}_-`],
  ["provider_key", "", `AI${"za"}${letters.slice(0, 35)}`],
  ["payment_key", "", `sk_${"live"}_${letters.slice(0, 24)}`],
  ["access_token", "", `gh${"p"}_${letters.slice(0, 36)}`],
  ["access_token", "", `xox${"b"}-12345678-${letters.slice(0, 12)}`],
  ["access_key", "", `AK${"IA"}ABCDEFGHIJKLMNOP`],
  ["json_web_token", "", `ey${"Jh"}bGciOiJIUzI1NiJ9.ey${"Jz"}dWIiOiIxMjM0In0.${letters.slice(0, 20)}`],
  ["bearer_token", "Authorization: Bearer ", letters.slice(0, 30)],
  ["bearer_token", "authorization: bearer   ", "abc.def-123~"],
  ["basic_credentials", "Authorization: Basic ", "dXNlcjpwYXNzd29yZA=="],
  ["password_in_url", "postgres://app:", "s3cret!"],
  ["inbound_url", "https://a.example/api/v1/hooks/01a1fd57-39b5-743f-8f11-7ef77dce1b44/", letters.slice(0, 43)],
  ["private_key", "", `-----BEGIN ${"PRIVATE"} KEY-----\nMC4CAQAwBQ\n-----END ${"PRIVATE"} KEY-----`],
  ["private_key", "", `-----BEGIN ${"RSA PRIVATE"} KEY-----\nMC4CAQAwBQ and then it was cut`]
]

describe("redaction", () => {
  for (const [kind, before, secret] of secrets) {
    const after = kind === "password_in_url" ? "@db.example/x" : kind === "private_key" ? "" : " and more"
    it(`redacts a ${kind}: ${before}${secret.slice(0, 8)}…`, () => {
      const { found, text } = redactText(`so ${before}${secret}${after}`)
      assert.strictEqual(text, `so ${before}[redacted: ${kind}]${after}`)
      assert.deepStrictEqual([...found], [[kind, 1]])
    })
  }

  it("leaves alone what is no secret", () => {
    for (const text of [
      "The bearer of good news",
      "sk-8 is short, and task-force is a word",
      "01a1fd57-39b5-743f-8f11-7ef77dce1b44",
      "https://example.com/a:b@c",
      "a: b@example.com",
      "[redacted: api_key]"
    ]) {
      assert.strictEqual(redactText(text).text, text)
    }
  })

  it("says where in a value, with names of members too, and how often", () => {
    const secret = secrets[0]![2]
    const { redactions, value } = redact({ "a/b": [`${secret} ${secret}`, 1, null, true], [secret]: { c: secret } })
    assert.deepStrictEqual(value, {
      "a/b": ["[redacted: api_key] [redacted: api_key]", 1, null, true],
      "[redacted: api_key]": { c: "[redacted: api_key]" }
    })
    assert.deepStrictEqual(redactions, [
      { pointer: "/a~1b/0", kind: "api_key", count: 2 },
      { pointer: "", kind: "api_key", count: 1 },
      { pointer: "/[redacted: api_key]/c", kind: "api_key", count: 1 }
    ])
  })

  it("takes no longer for texts that were made to keep it busy", () => {
    const hostile = ["eyJ-", "eyJ.", "-----BEGIN PRIVATE KEY-----", "Bearer ", "a://", "a://b:", "sk-", " "]
    const startedAt = performance.now()
    for (const piece of hostile) redactText(piece.repeat(300_000 / piece.length))
    assert.isBelow(performance.now() - startedAt, 5_000)
  })
})
