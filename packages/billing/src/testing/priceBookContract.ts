import { assert, describe, layer as suite } from "@effect/vitest"
import { type DateTime, Effect, type Layer } from "effect"
import { isAtLeast } from "../Money.ts"
import { costOf, worstCostOf } from "../Price.ts"
import { PriceBook } from "../ports/PriceBook.ts"

/** The contract of every catalogue of prices, tested with a model that it knows. */
export const priceBookContract = <E>(
  adapter: string,
  adapterLayer: Layer.Layer<PriceBook, E>,
  known: { readonly provider: string; readonly model: string; readonly at: DateTime.Utc }
) =>
  describe(`price book: ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      it.effect("knows a price that no call of the size can exceed", () =>
        Effect.gen(function* () {
          const book = yield* PriceBook
          const price = yield* book.find(known.provider, known.model, known.at)
          assert.isDefined(price)
          for (const inputTokens of [0, 1, 1_000, 250_000]) {
            const usage = { inputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 77, reasoningTokens: 0 }
            const bounds = { inputTokensMax: inputTokens, outputTokensMax: 77 }
            assert.isTrue(isAtLeast(worstCostOf(price!, bounds), costOf(price!, usage)), `${inputTokens} tokens`)
            assert.isTrue(
              isAtLeast(worstCostOf(price!, bounds), costOf(price!, { ...usage, cacheWriteTokens: inputTokens }))
            )
          }
        })
      )

      it.effect("says where its prices come from", () =>
        Effect.gen(function* () {
          const book = yield* PriceBook
          assert.isNotEmpty((yield* book.find(known.provider, known.model, known.at))?.version)
        })
      )

      it.effect("has no price for a model that it does not know", () =>
        Effect.gen(function* () {
          const book = yield* PriceBook
          assert.isUndefined(yield* book.find(known.provider, "a model that nobody has made", known.at))
          assert.isUndefined(yield* book.find("a provider that is not there", known.model, known.at))
        })
      )
    })
  })
