import { PriceBook } from "@agent-platform/billing"
import { priceBookContract } from "@agent-platform/billing/testing"
import { GenaiPriceBook } from "@agent-platform/models"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00Z")

const find = (provider: string, model: string, at = NOW) =>
  Effect.provide(
    PriceBook.use((book) => book.find(provider, model, at)),
    GenaiPriceBook.layer
  )

priceBookContract("the catalogue", GenaiPriceBook.layer, { provider: "openai", model: "gpt-4o", at: NOW })

describe("the price catalogue", () => {
  it.effect("takes its rates as they are written there", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* find("openai", "gpt-4o-mini"), {
        version: "genai-prices@0.1.8",
        input: { base: "0.15", tiers: [] },
        cacheRead: { base: "0.075", tiers: [] },
        cacheWrite: undefined,
        output: { base: "0.60", tiers: [] },
        reasoning: undefined,
        requestUsd: "0.00"
      })
    })
  )

  it.effect("knows dated names of a model, tiers by size, and providers by OpenTelemetry's names", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* find("openai", "gpt-4o-mini-2024-07-18"), yield* find("openai", "gpt-4o-mini"))
      const sonnet = yield* find("anthropic", "claude-sonnet-4-5-20250929")
      assert.deepStrictEqual(sonnet?.input, { base: "3.00", tiers: [{ above: 200_000, usd: "6.00" }] })
      assert.deepStrictEqual(yield* find("gcp.gemini", "gemini-2.5-pro"), yield* find("google", "gemini-2.5-pro"))
      assert.strictEqual((yield* find("azure.ai.openai", "gpt-4o"))?.output.base, "10.00")
    })
  )

  it.effect("knows the price of the time asked for", () =>
    Effect.gen(function* () {
      const before = yield* find("openai", "o3", DateTime.makeUnsafe("2025-05-01T00:00:00Z"))
      assert.strictEqual(before?.input.base, "10.00")
      assert.strictEqual((yield* find("openai", "o3"))?.input.base, "2.00")
    })
  )

  for (const [provider, model, why] of [
    ["openai", "gpt-nobody-knows", "an unknown model"],
    ["nobody", "gpt-4o", "an unknown provider"],
    ["openai", "whisper-1", "a model that is paid by the hour"],
    ["openai", "text-embedding-3-small", "a model without a price for output"],
    ["openai", "moderation", "a model whose entry names no price at all"]
  ] as const) {
    it.effect(`has no price for ${why}`, () =>
      Effect.gen(function* () {
        assert.isUndefined(yield* find(provider, model))
      })
    )
  }
})
