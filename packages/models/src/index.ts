/** Model providers: the recipe for their models, the prices of these, and the check of provider keys. */

export { OUTPUT_TOKENS_MAX } from "./chat/callOptions.ts"
export { STEPS_MAX } from "./chat/executeChatTurn.ts"
export { CHAT_RECIPE, type ChatPorts, chatDescription, makeChatRecipe } from "./chat/makeChatRecipe.ts"
export { type CallSettings, STREAM_TIMEOUTS } from "./chat/modelCall.ts"
export type { StreamTimeouts } from "./chat/readStream.ts"
export type { ProviderUrls } from "./EgressProviderProbe.ts"
export * as EgressProviderProbe from "./EgressProviderProbe.ts"
export * as GenaiPriceBook from "./GenaiPriceBook.ts"
export { BUILT_IN_TOOLS } from "./tools/agentTools.ts"
