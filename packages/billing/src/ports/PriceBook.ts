import { Context, type DateTime, Effect, Layer } from "effect"
import type { Price } from "../Price.ts"

/** A catalogue of models' prices. Tested by `priceBookContract`. */
export class PriceBook extends Context.Service<
  PriceBook,
  {
    /**
     * The price of a model at a time; undefined when the catalogue does not know the model, or lacks its price for text tokens of
     * input or output, or charges such a call for something else that `Price` has no member for, without which the price would be too low.
     */
    readonly find: (provider: string, model: string, at: DateTime.Utc) => Effect.Effect<Price | undefined>
  }
>()("@agent-platform/billing/PriceBook") {
  /** For deployments that declare every price by themselves. */
  static readonly layerEmpty: Layer.Layer<PriceBook> = Layer.succeed(PriceBook, {
    find: () => Effect.succeed(undefined)
  })
}
