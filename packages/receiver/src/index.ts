/**
 * For receivers: verifies deliveries on Node, Deno and in browsers, with nothing but WebCrypto.
 *
 * ```ts
 * import { verify } from "@agent-platform/receiver"
 *
 * export const receive = async (request: Request, secret: string): Promise<Response> => {
 *   try {
 *     const event = await verify(new Uint8Array(await request.arrayBuffer()), request.headers, secret)
 *     console.log(event.type, event.id)
 *     return new Response(null, { status: 204 })
 *   } catch {
 *     return new Response(null, { status: 400 })
 *   }
 * }
 * ```
 */
export {
  type ReceivedEvent,
  type RequestHeaders,
  TOLERANCE_SECONDS_DEFAULT,
  type VerifyOptions,
  verify
} from "./verify.ts"
export { type RefusalCode, WebhookRefused } from "./WebhookRefused.ts"
