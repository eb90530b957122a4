import { Context, type DateTime, Effect, Layer } from "effect"
import type { Price } from "../Price.ts"

/** A catalogue of models' prices. Held by `priceBookContract`. */
export class PriceBook extends Context.Service<
  PriceBook,
  {
    /**
     * The price of a model at a time; undefined when the catalogue does not know the model, or has no price of it for text tokens
     * both ways. Never answers a price with unknown parts left out.
     */
    readonly find: (provider: string, model: string, at: DateTime.Utc) => Effect.Effect<Price | undefined>
  }
>()("@agent-platform/billing/PriceBook") {
  /** For deployments that declare every price by themselves. */
  static readonly layerEmpty: Layer.Layer<PriceBook> = Layer.succeed(PriceBook, {
    find: () => Effect.succeed(undefined)
  })
}
