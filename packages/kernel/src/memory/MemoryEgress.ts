import { Context, Effect, Layer, type Scope, Stream } from "effect"
import {
  Egress,
  type ExchangeAnswer,
  type ExchangeFailed,
  type ExchangeRequest,
  type StreamedAnswer,
  type StreamRequest,
  UrlNotPublic
} from "../ports/Egress.ts"

/** The requests that left through the memory egress, oldest first, and the answers to come. */
export class MemoryEgress extends Context.Service<
  MemoryEgress,
  {
    readonly requests: ReadonlyArray<ExchangeRequest>
    /** Sets how every exchange from now on is answered. The start is an empty 200. */
    readonly respondWith: (respond: (request: ExchangeRequest) => Effect.Effect<ExchangeAnswer, ExchangeFailed>) => void
    /** The requests for a streamed answer, oldest first. */
    readonly streams: ReadonlyArray<StreamRequest>
    /** Sets how every stream from now on is answered. The start is an empty 200. */
    readonly streamWith: (
      respond: (request: StreamRequest) => Effect.Effect<StreamedAnswer, ExchangeFailed, Scope.Scope>
    ) => void
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

/** An answer of 200 whose body comes in these pieces of text. */
export const aStreamedAnswer = (
  pieces: ReadonlyArray<string>,
  override: Partial<StreamedAnswer> = {}
): StreamedAnswer => ({
  status: 200,
  headers: {},
  remoteAddress: "203.0.113.7",
  body: Stream.fromIterable(pieces.map((piece) => new TextEncoder().encode(piece))),
  ...override
})

/** Records exchanges instead of making them. Admits HTTPS URLs except those whose host ends in `.internal`. */
export const layerEgress: Layer.Layer<Egress | MemoryEgress> = Layer.unwrap(
  Effect.map(Effect.context<never>(), (context) => {
    const run = Effect.runCallbackWith(context)
    const requests: Array<ExchangeRequest> = []
    let respond: (request: ExchangeRequest) => Effect.Effect<ExchangeAnswer, ExchangeFailed> = () =>
      Effect.succeed(anAnswer(200))
    const streams: Array<StreamRequest> = []
    let respondStreaming: (request: StreamRequest) => Effect.Effect<StreamedAnswer, ExchangeFailed, Scope.Scope> = () =>
      Effect.succeed(aStreamedAnswer([]))
    const exchange = (request: ExchangeRequest) =>
      Effect.suspend(() => {
        requests.push(request)
        return respond(request)
      })
    return Layer.merge(
      Layer.succeed(MemoryEgress, {
        requests,
        respondWith: (next) => {
          respond = next
        },
        streams,
        streamWith: (next) => {
          respondStreaming = next
        }
      }),
      Layer.succeed(Egress, {
        admit: (url) =>
          /^https:\/\/[^/]+/.test(url) && !/^https:\/\/[^/]*\.internal(\/|$)/.test(url)
            ? Effect.void
            : Effect.fail(new UrlNotPublic({ detail: "The URL is not HTTPS at a public address" })),
        exchange,
        begin: (request, ended) => {
          let over = false
          const interrupt = run(exchange(request), {
            onExit: (exit) => {
              if (!over) ended(exit)
            }
          })
          return () => {
            over = true
            interrupt()
          }
        },
        stream: (request) =>
          Effect.suspend(() => {
            streams.push(request)
            return respondStreaming(request)
          })
      })
    )
  })
)
