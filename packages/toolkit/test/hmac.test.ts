import { hmacKey, hmacSha256 } from "@agent-platform/toolkit"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { Base64, Base64Url, Hex } from "effect/encoding"

const webCrypto = Layer.provide(Mac.layerWebCrypto, SecureRandom.layerWebCrypto)
const utf8 = new TextEncoder()

describe("a message code", () => {
  it("is that of RFC 4231, under text, bytes and a key that was made ready", () => {
    const expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    for (const key of ["Jefe", utf8.encode("Jefe"), hmacKey(utf8.encode("Jefe"))]) {
      assert.strictEqual(hmacSha256(key, "hex", "what do ya want ", utf8.encode("for nothing?")), expected)
    }
  })

  it.effect.prop(
    "is that of WebCrypto, whatever key and parts are",
    { key: Schema.NonEmptyString, parts: Schema.Array(Schema.String), more: Schema.Literals([0, 64, 65, 20_000]) },
    ({ key, more, parts }) =>
      Effect.gen(function* () {
        const mac = yield* Mac.Mac
        const long = `${key}${"k".repeat(more)}`
        const bytes = parts.map((part) => utf8.encode(part))
        const whole = new Uint8Array(bytes.flatMap((part) => [...part]))
        const expected = yield* mac.sign(yield* Mac.key(Mac.hmacSha256, utf8.encode(long)), whole)
        assert.strictEqual(hmacSha256(long, "hex", ...bytes), Hex.encode(expected))
        assert.strictEqual(hmacSha256(long, "base64", ...bytes), Base64.encode(expected))
        assert.strictEqual(hmacSha256(long, "base64url", ...bytes), Base64Url.encode(expected))
      }).pipe(Effect.provide(webCrypto))
  )
})
