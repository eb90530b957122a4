/** The value of a key: `apk_ws_` or `apk_org_`, 43 base62 digits, 6 base62 digits of CRC32. */
import { createHash } from "node:crypto"
import { crc32 } from "node:zlib"
import { generateKeyValue, hashKeyValue, hintOf, type KeyKind, parseKeyValue } from "@agent-platform/keys"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Exit, Layer, Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"

const crypto = Layer.merge(SecureRandom.layerWebCrypto, Digest.layerWebCrypto)

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const KINDS: ReadonlyArray<KeyKind> = ["workspace", "organization"]

/** A value that stays the same, with its checksum computed by zlib. */
const KNOWN = "apk_ws_D3rGmhN5kQ0Zb7XyWvUtSrQpOnMlKjIhGfEdCbA98761cWd4p"

const base62 = (number: number): string =>
  Array.from({ length: 6 }, (_, index) => DIGITS.charAt(Math.floor(number / 62 ** (5 - index)) % 62)).join("")

const generated = (kind: KeyKind) => Effect.map(generateKeyValue(kind), Redacted.value)
const isAccepted = (text: string) => Effect.map(Effect.exit(parseKeyValue(Redacted.make(text))), Exit.isSuccess)

/** Numbers from 0 below `bound`, the same in every run. */
const numbers = (seed: number) => {
  let state = seed
  return (bound: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

/**
 * Damage of the kinds that happen to text. Each changes the length, leaves the alphabet, or alters at most four
 * neighbouring characters, which a CRC32 never lets pass; so no run is unlucky.
 */
const damages: ReadonlyArray<(value: string, below: (bound: number) => number) => string> = [
  (value, below) => replaceAt(value, below(value.length), DIGITS.charAt(below(62))),
  (value, below) => replaceAt(value, below(value.length), "-_ .é\u0000\n".charAt(below(7))),
  (value, below) => swapAt(value, below(value.length - 1)),
  (value, below) => flipCase(value, below(value.length)),
  (value, below) => {
    const at = below(value.length - 4)
    return replaceAt(value, at, Array.from({ length: 4 }, () => DIGITS.charAt(below(62))).join(""))
  },
  (value, below) => value.slice(0, below(value.length)),
  (value, below) => value.slice(1 + below(value.length)),
  (value, below) => insertAt(value, below(value.length + 1), DIGITS.charAt(below(62))),
  (value, below) => insertAt(value, below(2) * value.length, ' \n\t"'.charAt(below(4))),
  (value) => value + value
]

const replaceAt = (text: string, at: number, by: string) => text.slice(0, at) + by + text.slice(at + by.length)
const insertAt = (text: string, at: number, added: string) => text.slice(0, at) + added + text.slice(at)
const swapAt = (text: string, at: number) => replaceAt(text, at, text.charAt(at + 1) + text.charAt(at))
const flipCase = (text: string, at: number) => {
  const character = text.charAt(at)
  return replaceAt(text, at, character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase())
}

describe("the value of a key", () => {
  layer(crypto)((it) => {
    it.effect("begins with its kind and ends with the CRC32 of what precedes", () =>
      Effect.gen(function* () {
        for (const kind of KINDS) {
          const value = yield* generated(kind)
          assert.match(value, kind === "workspace" ? /^apk_ws_[0-9A-Za-z]{49}$/ : /^apk_org_[0-9A-Za-z]{49}$/)
          assert.strictEqual(value.slice(-6), base62(crc32(value.slice(0, -6))))
        }
      })
    )

    it.effect("is recognised as what it was made", () =>
      Effect.gen(function* () {
        for (const kind of KINDS) {
          for (let count = 0; count < 200; count++) {
            assert.strictEqual(yield* parseKeyValue(yield* generateKeyValue(kind)), kind)
          }
        }
      })
    )

    it.effect("is another one each time, in every one of its 43 digits", () =>
      Effect.gen(function* () {
        const values = yield* Effect.forEach(Array.from({ length: 500 }), () => generated("workspace"))
        assert.strictEqual(new Set(values).size, values.length)
        for (let position = "apk_ws_".length; position < "apk_ws_".length + 43; position++) {
          assert.isAbove(new Set(values.map((value) => value.charAt(position))).size, 40, `at ${position}`)
        }
      })
    )

    it.effect("is refused when it is no value at all", () =>
      Effect.gen(function* () {
        for (const text of [
          "",
          " ",
          "apk_ws_",
          "Bearer apk_ws_x",
          "sk-proj-1234",
          "apk_live_".padEnd(58, "0"),
          "💡".repeat(28)
        ]) {
          assert.isFalse(yield* isAccepted(text), text)
        }
      })
    )

    it.effect("is refused under the prefix of the other kind", () =>
      Effect.gen(function* () {
        assert.isTrue(yield* isAccepted(KNOWN))
        assert.isFalse(yield* isAccepted(KNOWN.replace("apk_ws_", "apk_org_")))
      })
    )

    it.effect("is refused when it is damaged: ten thousand damaged values are all refused", () =>
      Effect.gen(function* () {
        const below = numbers(20261121)
        let refused = 0
        for (let index = 0; refused < 10_000; index++) {
          const value = index % 100 === 0 ? yield* generated(KINDS[index % 2] ?? "workspace") : KNOWN
          const damaged = damages[index % damages.length]?.(value, below) ?? ""
          if (damaged === value) continue
          assert.isFalse(yield* isAccepted(damaged), `damage ${index % damages.length}: ${JSON.stringify(damaged)}`)
          refused++
        }
      })
    )

    it.effect("may be shown as its prefix, four digits and the last four", () =>
      Effect.sync(() => {
        assert.strictEqual(hintOf(Redacted.make(KNOWN)), "apk_ws_D3rG…Wd4p")
        assert.strictEqual(hintOf(Redacted.make(`apk_org_${KNOWN.slice(7)}`)), "apk_org_D3rG…Wd4p")
      })
    )

    it.effect("is stored as its SHA-256", () =>
      Effect.gen(function* () {
        const hash = yield* hashKeyValue(Redacted.make(KNOWN))
        assert.strictEqual(hash, createHash("sha256").update(KNOWN).digest("hex"))
      })
    )

    it.effect("does not show when it is printed", () =>
      Effect.gen(function* () {
        const value = yield* generateKeyValue("workspace")
        assert.notInclude(`${value} ${JSON.stringify({ value })}`, Redacted.value(value))
      })
    )
  })
})
