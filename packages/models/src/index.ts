/** Model providers: what they say about keys, and what their models cost. */

export type { ProviderUrls } from "./EgressProviderProbe.ts"
export * as EgressProviderProbe from "./EgressProviderProbe.ts"
export * as GenaiPriceBook from "./GenaiPriceBook.ts"
