import { layer as kernel } from "@agent-platform/kernel/memory"
import {
  mayServe,
  providerKeyFingerprint,
  providerKeyHint,
  providerKeyPlace,
  shownProviderCode
} from "@agent-platform/keys"
import { aProviderKey } from "@agent-platform/keys/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"

const hint = (text: string) => providerKeyHint(Redacted.make(text))

describe("the hint of a provider key", () => {
  it("is its ends, four characters each at most and never more than a quarter of it", () => {
    assert.strictEqual(hint("sk-proj-0123456789abcdefghijklmnopqrstuvwxyz"), "sk-p…wxyz")
    assert.strictEqual(hint("0123456789abcdef"), "01…ef")
    assert.strictEqual(hint("01234567"), "0…7")
    for (const short of ["", "a", "EMPTY", "0123456"]) assert.strictEqual(hint(short), "…")
    for (let length = 0; length < 200; length++) {
      assert.isAtMost(hint("k".repeat(length)).length - 1, Math.min(8, length / 4))
    }
  })
})

describe("the fingerprint of a provider key", () => {
  it.effect(
    "is the same for the same key, another for another, and not the SHA-256 that anybody can make of a guess",
    () =>
      Effect.gen(function* () {
        const of = (text: string) => providerKeyFingerprint(Redacted.make(text))
        const [one, again, other] = [yield* of("abc"), yield* of("abc"), yield* of("abd")]
        assert.match(one, /^[0-9a-f]{16}$/)
        assert.strictEqual(one, again)
        assert.notStrictEqual(one, other)
        // printf %s abc | sha256sum
        assert.notStrictEqual(one, "ba7816bf8f01cfea")
      }).pipe(Effect.provide(Layer.fresh(kernel)))
  )
})

describe("a provider's code", () => {
  const key = Redacted.make("sk-proj-0123456789abcdefghijkl")

  it("is shown as it is", () => {
    for (const code of ["invalid_api_key", "API_KEY_INVALID", "rate-limit.v2"]) {
      assert.strictEqual(shownProviderCode(code, key), code)
    }
  })

  it("is not shown when it holds eight characters of the key in a row, or the whole of a shorter one", () => {
    for (const code of ["sk-proj-0123456789abcdefghijkl", "bad_456789ab", "proj-0123", "ABCDEFGHIJ", "AB_CD.EF-GH"]) {
      assert.isNull(shownProviderCode(code, key))
    }
    assert.isNull(shownProviderCode("bad_EMPTY_key", Redacted.make("EMPTY")))
    assert.strictEqual(shownProviderCode("bad_3456789", key), "bad_3456789")
  })

  it("is not shown when it is no code but a text, a number or nothing", () => {
    for (const code of ["Incorrect API key", "", "1abc", "a".repeat(65), "é", 401, null, undefined, {}]) {
      assert.isNull(shownProviderCode(code, key))
    }
  })
})

describe("a key", () => {
  it("serves every model, or those that it names, or those that begin so", () => {
    const serves = (allowedModels: ReadonlyArray<string> | null, model: string) =>
      mayServe(aProviderKey({ allowedModels }), model)
    assert.isTrue(serves(null, "gpt-5"))
    assert.isTrue(serves(["gpt-5"], "gpt-5"))
    assert.isFalse(serves(["gpt-5"], "gpt-5-mini"))
    assert.isFalse(serves(["gpt-5"], "GPT-5"))
    assert.isTrue(serves(["claude-*", "gpt-5*"], "gpt-5-mini"))
    assert.isFalse(serves(["gpt-5-*"], "gpt-5"))
    assert.isTrue(serves(["*"], "anything"))
  })

  it("is sealed for its workspace, its provider and itself", () => {
    const key = aProviderKey()
    assert.strictEqual(providerKeyPlace(key), `provider_key/${key.workspaceId}/openai/${key.id}`)
  })
})
