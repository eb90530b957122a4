/** Model providers: the recipe for their models, the prices of these, and the check of provider keys. */

export { STEPS_MAX } from "./chat/executeChatTurn.ts"
export { chatDescription, makeChatRecipe } from "./chat/makeChatRecipe.ts"
export type { StreamTimeouts } from "./chat/readStream.ts"
export * as EgressProviderProbe from "./EgressProviderProbe.ts"
export * as GenaiPriceBook from "./GenaiPriceBook.ts"
