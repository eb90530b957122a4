import { createHmac } from "node:crypto"
import { hmacContract } from "@agent-platform/kernel/testing"
import { layerCrypto, layerHmac } from "@agent-platform/process"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Mac } from "effect/crypto"

hmacContract("hashes of the runtime", layerHmac)

describe("message codes", () => {
  it.effect("are those of the standard, by every hash, with one key again and again", () =>
    Effect.gen(function* () {
      const mac = yield* Mac.Mac
      const bytes = new TextEncoder().encode("a key")
      const algorithms = { sha1: Mac.hmacSha1, sha256: Mac.hmacSha256, sha384: Mac.hmacSha384, sha512: Mac.hmacSha512 }
      for (const [name, algorithm] of Object.entries(algorithms)) {
        const key = yield* Mac.key(algorithm, bytes)
        for (const text of ["", "é 💡", "again"]) {
          const data = new TextEncoder().encode(text)
          const tag = yield* mac.sign(key, data)
          assert.deepStrictEqual(tag, new Uint8Array(createHmac(name, "a key").update(text).digest()))
          assert.isTrue(yield* mac.verify(key, tag, data))
          assert.isFalse(yield* mac.verify(key, tag, new TextEncoder().encode(`${text} `)))
        }
      }
    }).pipe(Effect.provide(layerCrypto))
  )

  it.effect("are those of the standard for keys and data of every length", () =>
    Effect.gen(function* () {
      const mac = yield* Mac.Mac
      for (const keyLength of [1, 63, 64, 65, 127, 128, 129, 500]) {
        const bytes = new Uint8Array(keyLength).fill(keyLength)
        // The same bytes as a key of both: one is not taken for the other.
        const keys = { sha256: yield* Mac.key(Mac.hmacSha256, bytes), sha512: yield* Mac.key(Mac.hmacSha512, bytes) }
        for (const length of [16_000, 100_000, 16_256, 16_257, 16_320, 16_321]) {
          const data = new Uint8Array(length).fill(length)
          for (const [name, key] of Object.entries(keys)) {
            assert.deepStrictEqual(
              yield* mac.sign(key, data),
              new Uint8Array(createHmac(name, bytes).update(data).digest())
            )
          }
        }
      }
    }).pipe(Effect.provide(layerCrypto))
  )
})
