/** Model providers: what they say about keys. */

export type { ProviderUrls } from "./EgressProviderProbe.ts"
export * as EgressProviderProbe from "./EgressProviderProbe.ts"
