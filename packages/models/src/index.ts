/** Model providers: the recipe for their models, the prices of these, and the check of provider keys. */

export { STEPS_MAX } from "./chat/executeChatTurn.ts"
export { chatDescription, makeChatRecipe } from "./chat/makeChatRecipe.ts"
export type { StreamTimeouts } from "./chat/readStream.ts"
export * as EgressProviderProbe from "./EgressProviderProbe.ts"
export * as GenaiPriceBook from "./GenaiPriceBook.ts"
export { type ChatBody, chatCallOf, chatCompletion, makeChatChunks } from "./gateway/chatCompletions.ts"
export { Gateway, type GatewayAnswer, type GatewayDelta, GatewayFailed, type GatewayPorts } from "./gateway/Gateway.ts"
export type { GatewayCall } from "./gateway/GatewayCall.ts"
export { type BodyUnfit, reading } from "./gateway/reading.ts"
export { makeResponseEvents } from "./gateway/responseEvents.ts"
export { type ResponseBody, responseCallOf, responseOf } from "./gateway/responses.ts"
