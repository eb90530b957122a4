import { assert, describe, layer as suite } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { Base64, Hex } from "effect/encoding"
import { Hmac } from "../ports/Hmac.ts"

const utf8 = new TextEncoder()

const webCrypto = Layer.provide(Mac.layerWebCrypto, SecureRandom.layerWebCrypto)

const repeated = (byte: number, times: number) => new Uint8Array(times).fill(byte)

/** RFC 4231: of the test cases all but the one of a shortened code. */
const VECTORS: ReadonlyArray<{ readonly key: Uint8Array; readonly data: Uint8Array; readonly code: string }> = [
  {
    key: repeated(0x0b, 20),
    data: utf8.encode("Hi There"),
    code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
  },
  {
    key: utf8.encode("Jefe"),
    data: utf8.encode("what do ya want for nothing?"),
    code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
  },
  {
    key: repeated(0xaa, 20),
    data: repeated(0xdd, 50),
    code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
  },
  {
    key: Uint8Array.from({ length: 25 }, (_, index) => index + 1),
    data: repeated(0xcd, 50),
    code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
  },
  {
    key: repeated(0xaa, 131),
    data: utf8.encode("Test Using Larger Than Block-Size Key - Hash Key First"),
    code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
  },
  {
    key: repeated(0xaa, 131),
    data: utf8.encode(
      "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed " +
        "before being used by the HMAC algorithm."
    ),
    code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
  }
]

/** Bytes of which no two next to each other are the same. */
const bytesOf = (length: number) => Uint8Array.from({ length }, (_, index) => (index * 31 + length) % 251)

/** What every `Hmac` must hold. */
export const hmacContract = <E>(adapter: string, adapterLayer: Layer.Layer<Hmac, E>) =>
  describe(`message codes over ${adapter}`, () => {
    suite(Layer.merge(adapterLayer, webCrypto), { excludeTestServices: true })((it) => {
      it.effect("are those of RFC 4231", () =>
        Effect.gen(function* () {
          const hmac = yield* Hmac
          for (const { code, data, key } of VECTORS) assert.strictEqual(hmac.sha256(key)(data.slice(), "hex"), code)
        })
      )

      it.effect("are those of WebCrypto, whatever the lengths of key and data", () =>
        Effect.gen(function* () {
          const hmac = yield* Hmac
          const mac = yield* Mac.Mac
          for (const keyLength of [1, 63, 64, 65, 500]) {
            const key = yield* Mac.key(Mac.hmacSha256, bytesOf(keyLength))
            const code = hmac.sha256(bytesOf(keyLength))
            for (const length of [0, 1, 55, 56, 63, 64, 800, 16_319, 16_320, 16_321, 100_000]) {
              const expected = yield* mac.sign(key, bytesOf(length))
              assert.strictEqual(code(bytesOf(length), "hex"), Hex.encode(expected), `${keyLength}, ${length}`)
            }
          }
        })
      )

      it.effect("are the same bytes in hexadecimal and in base64", () =>
        Effect.gen(function* () {
          const code = (yield* Hmac).sha256(bytesOf(32))
          for (const length of [0, 10, 1_000]) {
            const bytes = Effect.fromResult(Hex.decode(code(bytesOf(length), "hex")))
            assert.strictEqual(code(bytesOf(length), "base64"), Base64.encode(yield* bytes))
          }
        })
      )

      it.effect("are those of their own key, however keys take turns", () =>
        Effect.gen(function* () {
          const hmac = yield* Hmac
          const keys = VECTORS.map(({ key }) => hmac.sha256(key))
          for (let turn = 0; turn < 3; turn++) {
            for (const [index, { code, data }] of VECTORS.entries())
              assert.strictEqual(keys[index]?.(data.slice(), "hex"), code)
          }
        })
      )

      it.effect("leave the data as it is, and parts of it as well", () =>
        Effect.gen(function* () {
          const hmac = yield* Hmac
          const [one, other] = [hmac.sha256(bytesOf(32)), hmac.sha256(bytesOf(64))]
          for (const length of [100, 1_000, 20_000]) {
            const data = bytesOf(length)
            const [whole, part] = [one(data, "hex"), other(data.subarray(37), "hex")]
            assert.deepStrictEqual(data, bytesOf(length))
            data.fill(0)
            assert.deepStrictEqual(
              [one(bytesOf(length), "hex"), other(bytesOf(length).subarray(37), "hex")],
              [whole, part]
            )
          }
        })
      )

      it.effect("are those of the key as it was given", () =>
        Effect.gen(function* () {
          const hmac = yield* Hmac
          for (const { code, data, key } of VECTORS) {
            const given = key.slice()
            const under = hmac.sha256(given)
            given.fill(0)
            assert.strictEqual(under(data.slice(), "hex"), code)
          }
        })
      )
    })
  })
