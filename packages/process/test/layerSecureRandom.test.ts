import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { layerSecureRandom } from "../src/layerSecureRandom.ts"

describe("random bytes", () => {
  layer(layerSecureRandom)((it) => {
    it.effect("are as many as were asked for, and never the same twice", () =>
      Effect.gen(function* () {
        const random = yield* SecureRandom.SecureRandom
        const seen = new Set<string>()
        for (let round = 0; round < 2_000; round++) {
          const size = [16, 10, 64, 65, 7_000][round % 5]!
          const bytes = yield* random.randomBytes(size)
          assert.strictEqual(bytes.length, size)
          seen.add(Buffer.from(bytes.subarray(0, 10)).toString("hex"))
        }
        assert.strictEqual(seen.size, 2_000)
      })
    )

    it.effect("do not change once they were handed out", () =>
      Effect.gen(function* () {
        const random = yield* SecureRandom.SecureRandom
        const bytes = yield* random.randomBytes(16)
        const before = Buffer.from(bytes).toString("hex")
        for (let round = 0; round < 1_000; round++) yield* random.randomBytes(16)
        assert.strictEqual(Buffer.from(bytes).toString("hex"), before)
      })
    )
  })
})
