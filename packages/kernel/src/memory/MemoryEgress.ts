import { Context, Effect, Layer, Stream } from "effect"
import {
  Egress,
  type EgressPurpose,
  type IncomingResponse,
  type OutgoingRequest,
  type StreamedResponse,
  type StreamRequest,
  UrlNotPublic
} from "../ports/Egress.ts"

type Sends = Egress["Service"]

/** The requests that left through the memory egress, oldest first, and the responses to come. */
export class MemoryEgress extends Context.Service<
  MemoryEgress,
  {
    readonly requests: ReadonlyArray<OutgoingRequest>
    /** The URLs that were to be admitted, oldest first, and for which purpose. */
    readonly admissions: ReadonlyArray<readonly [url: string, purpose: EgressPurpose]>
    /** Sets the response to every request from now on. Until then it is an empty 200. */
    readonly respondWith: (respond: Sends["send"]) => void
    /** The requests for a streamed response, oldest first. */
    readonly streams: ReadonlyArray<StreamRequest>
    /** Sets the streamed response to every request from now on. Until then it is an empty 200. */
    readonly streamWith: (respond: Sends["stream"]) => void
  }
>()("@agent-platform/kernel/MemoryEgress") {}

/** A response with nothing in it but its status. */
export const aResponse = (status: number, headers: Readonly<Record<string, string>> = {}): IncomingResponse => ({
  status,
  headers,
  body: new Uint8Array(),
  remoteAddress: "203.0.113.7",
  durationMillis: 1
})

/** A response of 200 whose body comes in these pieces of text. */
export const aStreamedResponse = (
  pieces: ReadonlyArray<string>,
  override: Partial<StreamedResponse> = {}
): StreamedResponse => ({
  status: 200,
  headers: {},
  remoteAddress: "203.0.113.7",
  body: Stream.fromIterable(pieces.map((piece) => new TextEncoder().encode(piece))),
  ...override
})

/** Admits HTTPS URLs except those whose host ends in `.internal`. */
export const admitUrl = (url: string): Effect.Effect<void, UrlNotPublic> =>
  /^https:\/\/[^/]+/.test(url) && !/^https:\/\/[^/]*\.internal(\/|$)/.test(url)
    ? Effect.void
    : Effect.fail(new UrlNotPublic({ detail: "The URL is not HTTPS at a public address" }))

/** Records requests instead of sending them, and admits URLs as `admitUrl` does. */
export const layerEgress: Layer.Layer<Egress | MemoryEgress> = Layer.unwrap(
  Effect.map(Effect.context<never>(), (context) => {
    const run = Effect.runCallbackWith(context)
    const requests: Array<OutgoingRequest> = []
    const admissions: Array<readonly [string, EgressPurpose]> = []
    let respond: Sends["send"] = () => Effect.succeed(aResponse(200))
    const streams: Array<StreamRequest> = []
    let respondStreaming: Sends["stream"] = () => Effect.succeed(aStreamedResponse([]))
    const send = (request: OutgoingRequest) =>
      Effect.suspend(() => {
        requests.push(request)
        return respond(request)
      })
    return Layer.merge(
      Layer.succeed(MemoryEgress, {
        requests,
        admissions,
        respondWith: (next) => {
          respond = next
        },
        streams,
        streamWith: (next) => {
          respondStreaming = next
        }
      }),
      Layer.succeed(Egress, {
        admit: (url, purpose) =>
          Effect.suspend(() => {
            admissions.push([url, purpose])
            return admitUrl(url)
          }),
        send,
        begin: (request, ended) => {
          let over = false
          const interrupt = run(send(request), {
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
