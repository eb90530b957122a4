import { Context, Effect, Layer } from "effect"
import {
  Egress,
  type ExchangeAnswer,
  type ExchangeFailed,
  type ExchangeRequest,
  UrlNotPublic
} from "../ports/Egress.ts"

/** What left through the memory egress, oldest first, and what it answers. */
export class MemoryEgress extends Context.Service<
  MemoryEgress,
  {
    readonly requests: ReadonlyArray<ExchangeRequest>
    /** Sets how every exchange from now on is answered. The start is an empty 200. */
    readonly respondWith: (respond: (request: ExchangeRequest) => Effect.Effect<ExchangeAnswer, ExchangeFailed>) => void
  }
>()("@agent-platform/kernel/MemoryEgress") {}

/** An answer with nothing in it but its status. */
export const anAnswer = (status: number, headers: Readonly<Record<string, string>> = {}): ExchangeAnswer => ({
  status,
  headers,
  body: new Uint8Array(),
  remoteAddress: "203.0.113.7",
  durationMillis: 1
})

/** Records exchanges instead of making them. Admits HTTPS URLs except those whose host ends in `.internal`. */
export const layerEgress: Layer.Layer<Egress | MemoryEgress> = Layer.unwrap(
  Effect.sync(() => {
    const requests: Array<ExchangeRequest> = []
    let respond: (request: ExchangeRequest) => Effect.Effect<ExchangeAnswer, ExchangeFailed> = () =>
      Effect.succeed(anAnswer(200))
    return Layer.merge(
      Layer.succeed(MemoryEgress, {
        requests,
        respondWith: (next) => {
          respond = next
        }
      }),
      Layer.succeed(Egress, {
        admit: (url) =>
          /^https:\/\/[^/]+/.test(url) && !/^https:\/\/[^/]*\.internal(\/|$)/.test(url)
            ? Effect.void
            : Effect.fail(new UrlNotPublic({ detail: "The URL is not HTTPS at a public address" })),
        exchange: (request) =>
          Effect.suspend(() => {
            requests.push(request)
            return respond(request)
          })
      })
    )
  })
)
