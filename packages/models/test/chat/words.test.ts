/** How a model's words reach the log, and what is understood of names, counts and conversations: without a network. */

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { makeDeltas } from "../../src/chat/deltas.ts"
import { parseModelName } from "../../src/chat/ModelName.ts"
import { inputTokensMax } from "../../src/chat/tokens.ts"

const emitting = Effect.sync(() => {
  const emitted: Array<string> = []
  return { emitted, deltas: makeDeltas((text) => Effect.sync(() => void emitted.push(text))) }
})

describe("words on their way to the log", () => {
  it.effect("wait for each other, and are emitted up to the last space once that took long enough", () =>
    Effect.gen(function* () {
      const { deltas, emitted } = yield* emitting
      for (const text of ["Good ", "morn", "ing to y"]) yield* deltas.push(text)
      assert.isEmpty(emitted)
      yield* TestClock.adjust("50 millis")
      yield* deltas.tick
      assert.deepStrictEqual(emitted, ["Good morning to "])
      yield* deltas.push("ou.")
      yield* deltas.flush
      assert.deepStrictEqual(emitted, ["Good morning to ", "you."])
      assert.isFalse(deltas.waits())
    })
  )

  it.effect("are not cut inside of a private key or between a scheme and its token", () =>
    Effect.gen(function* () {
      for (const [text, emittable] of [
        ["Look: -----BEGIN PRIVATE KEY----- ab cd", "Look: "],
        ["Send Authorization: Bearer abc", "Send Authorization: "],
        ["Send Bearer ", "Send "]
      ] as const) {
        const { deltas, emitted } = yield* emitting
        yield* deltas.push(text)
        yield* TestClock.adjust("50 millis")
        yield* deltas.tick
        assert.deepStrictEqual(emitted, [emittable])
        yield* deltas.flush
        assert.strictEqual(emitted.join(""), text)
      }
    })
  )

  it.effect("do not wait for a space for ever", () =>
    Effect.gen(function* () {
      const { deltas, emitted } = yield* emitting
      yield* deltas.push("x".repeat(9_000))
      yield* TestClock.adjust("50 millis")
      yield* deltas.tick
      assert.strictEqual(emitted.join("").length, 9_000)
    })
  )
})

describe("a model", () => {
  it("is named as its provider and what that calls it", () => {
    const named = (provider: string, model: string) => ({ provider, model })
    assert.deepStrictEqual<unknown>(parseModelName("openai/gpt-5"), named("openai", "gpt-5"))
    assert.deepStrictEqual<unknown>(parseModelName("openai_compatible/a/b:c"), named("openai_compatible", "a/b:c"))
    assert.deepStrictEqual<unknown>(parseModelName("vertex/gemini-2.5-pro"), named("vertex", "gemini-2.5-pro"))
    const elsewhere = [
      "google/lite/../models/gemini-2.5-pro",
      "vertex/../x#",
      "google/models/x",
      "google/x?y",
      "vertex/%2e"
    ]
    for (const text of [null, "", "gpt-5", "/x", "openai/", "mistral/x", "openai/a b", ...elsewhere]) {
      assert.isUndefined(parseModelName(text))
    }
  })
})

describe("the tokens that are held back for an input", () => {
  it("are a token for every two bytes, and some for what a provider adds", () => {
    assert.strictEqual(inputTokensMax(), 256 + 1)
    assert.isAtLeast(inputTokensMax("漢".repeat(1_000)), 1_500)
    assert.isAtLeast(inputTokensMax("a".repeat(1_000)), 500)
  })
})
