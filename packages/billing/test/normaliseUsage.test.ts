import { normaliseUsage, usageOfAnswer } from "@agent-platform/billing"
import { assert, describe, it } from "@effect/vitest"

describe("the usage that a provider reports", () => {
  it("is nothing where nothing is said of tokens", () => {
    for (const dialect of ["openai", "openai_compatible", "anthropic", "google"] as const) {
      for (const usage of [undefined, null, "12", [], {}, { total: 3 }]) {
        assert.isUndefined(normaliseUsage(dialect, usage), `${dialect} ${JSON.stringify(usage)}`)
      }
      assert.isUndefined(usageOfAnswer(dialect, []))
      assert.isUndefined(usageOfAnswer(dialect, [{ usage: null }, { choices: [] }, "[DONE]"]))
    }
  })

  it("takes no number for tokens that counts none", () => {
    for (const count of [-1, 1.5, Number.NaN, "7", null, 2 ** 60]) {
      const usage = normaliseUsage("openai", { prompt_tokens: 10, completion_tokens: count })
      assert.deepInclude(usage, { inputTokens: 10, outputTokens: 0 })
    }
  })

  it("counts no part as more than what it is part of", () => {
    assert.deepStrictEqual(
      normaliseUsage("openai", {
        prompt_tokens: 10,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 99 },
        completion_tokens_details: { reasoning_tokens: 99 }
      }),
      { inputTokens: 10, cacheReadTokens: 10, cacheWriteTokens: 0, outputTokens: 5, reasoningTokens: 5 }
    )
  })

  it("counts Anthropic's cache once, as part of the input", () => {
    const usage = { input_tokens: 5, cache_read_input_tokens: 100, cache_creation_input_tokens: 40, output_tokens: 7 }
    assert.deepStrictEqual(normaliseUsage("anthropic", usage), {
      inputTokens: 145,
      cacheReadTokens: 100,
      cacheWriteTokens: 40,
      outputTokens: 7,
      reasoningTokens: 0
    })
  })

  it("counts a stream's last word, field by field, and not the sum of its words", () => {
    const events = [
      { message: { usage: { input_tokens: 9, cache_read_input_tokens: 3, output_tokens: 1 } } },
      { usage: { output_tokens: 4 } },
      { usage: { output_tokens: 12, cache_read_input_tokens: null } }
    ]
    assert.deepInclude(usageOfAnswer("anthropic", events), { inputTokens: 12, cacheReadTokens: 3, outputTokens: 12 })
  })

  it("adds reasoning that is counted apart, and not reasoning that is counted already", () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 3 } }
    assert.deepInclude(normaliseUsage("openai_compatible", { ...usage, total_tokens: 18 }), { outputTokens: 8 })
    assert.deepInclude(normaliseUsage("openai_compatible", { ...usage, total_tokens: 15 }), { outputTokens: 5 })
    assert.deepInclude(normaliseUsage("openai_compatible", usage), { outputTokens: 5 })
  })
})
