import { parseSecretsKey } from "@agent-platform/secrets"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Digest } from "effect/crypto"

const ONE = btoa("1".repeat(32))
const TWO = btoa("2".repeat(32))

const parse = (value: string) => parseSecretsKey(Redacted.make(value)).pipe(Effect.provide(Digest.layerWebCrypto))

describe("SECRETS_KEY", () => {
  it.effect("is a key alone, whose id is always the same and does not show it", () =>
    Effect.gen(function* () {
      const [first, again, other] = [yield* parse(ONE), yield* parse(` ${ONE}\n`), yield* parse(TWO)]
      assert.match(first.current.id, /^[0-9a-f]{8}$/)
      assert.strictEqual(first.current.id, again.current.id)
      assert.notStrictEqual(first.current.id, other.current.id)
      assert.strictEqual(Redacted.value(first.current.key), ONE)
    })
  )

  it.effect("is several keys with ids, the current one first", () =>
    Effect.gen(function* () {
      const keys = yield* parse(`new:${TWO}, old:${ONE}`)
      assert.strictEqual(keys.current.id, "new")
      assert.deepStrictEqual(
        keys.previous?.map((key) => key.id),
        ["old"]
      )
      assert.strictEqual(Redacted.value(keys.current.key), TWO)
    })
  )

  it.effect("leaves a key its id when a new one is put in front of it", () =>
    Effect.gen(function* () {
      const keys = yield* parse(`${TWO},${ONE}`)
      assert.deepStrictEqual(
        keys.previous?.map((key) => key.id),
        [(yield* parse(ONE)).current.id]
      )
    })
  )

  for (const [what, value, says] of [
    ["nothing", "", "has a key that has 0 bytes instead of 32"],
    ["what is not base64", "k1:not*base64", "is not base64"],
    ["a key of another length", btoa("short"), "has 5 bytes instead of 32"],
    ["an empty entry", `${ONE},`, "number 2) that has 0 bytes"],
    ["an id that could not be written beside a secret", `a.b:${ONE}`, "has an id of other than"],
    ["the same id twice", `a:${ONE},a:${TWO}`, "has the same id twice"]
  ] as const) {
    it.effect(`is refused by its name and without showing it when it holds ${what}`, () =>
      Effect.gen(function* () {
        const refused = yield* Effect.flip(parse(value))
        assert.include(refused.message, "SECRETS_KEY")
        assert.include(refused.message, says)
        for (const key of [ONE, TWO, "not*base64"]) assert.notInclude(refused.message, key)
      })
    )
  }
})
