/** Answers that go on for long: how they begin, how they are kept alive, and how they end. */
import { ServerResponse } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Cause, Duration, Effect, Stream } from "effect"
import { Sse } from "effect/encoding"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { Draining } from "./Draining.ts"

/** A stream says something at least this often, so that nobody on the way takes it for dead. */
export const KEEP_ALIVE_SECONDS = 15

/** When a client whose stream ended early should come back: soon, and to another process. */
const COME_BACK = Sse.encoder.write(new Sse.Retry({ duration: Duration.seconds(1), lastEventId: undefined }))

/** An event as it is written. An id alone says where a stream begins, for who is cut off before the first event. */
export interface StreamedEvent {
  readonly id: string
  readonly event?: { readonly type: string; readonly data: string }
}

// Data is all that the encoder always writes, and without an event there is none. WHATWG HTML, 9.2.6.
const frameOf = ({ event, id }: StreamedEvent): string =>
  event === undefined ? `id: ${id}\n\n` : Sse.encoder.write({ _tag: "Event", id, event: event.type, data: event.data })

/** How long a document may take to be sent: until then it is held in memory. */
const DOCUMENT_SECONDS_MAX = 300

/** Sends the status and the headers at once: the first event may be a while. */
const flushed = (request: HttpServerRequest.HttpServerRequest) =>
  Stream.fromEffectDrain(
    Effect.sync(() => {
      const response = NodeHttpServerRequest.toServerResponse(request)
      if (response instanceof ServerResponse) response.flushHeaders()
    })
  )

/** A broken stream can only be logged, since its answer has begun. The client reconnects with its last event id. */
const noteBreak = (cause: Cause.Cause<never>) =>
  Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.logWarning("A stream broke off", cause)

/** Makes streams that end when this process stops, or when `ended` returns: for when the key does not hold any more. */
export const makeStreams = Effect.gen(function* () {
  const draining = yield* Draining

  const untilEnded = <A>(parts: Stream.Stream<A>, ended: Effect.Effect<void>) =>
    Stream.interruptWhen(parts, Effect.raceFirst(ended, draining.begun))

  const respond = (request: HttpServerRequest.HttpServerRequest, contentType: string, parts: Stream.Stream<string>) =>
    HttpServerResponse.stream(
      Stream.concat(flushed(request), parts).pipe(Stream.tapCause(noteBreak), Stream.encodeText),
      { contentType, headers: { "x-accel-buffering": "no" } }
    )

  /** Breaks the connection off once this returns, unless the answer was sent by then. */
  const breakOff = (request: HttpServerRequest.HttpServerRequest, ended: Effect.Effect<void>) =>
    Effect.forkScoped(
      Effect.andThen(
        ended,
        Effect.sync(() => NodeHttpServerRequest.toServerResponse(request).destroy())
      )
    )

  return {
    /** A document that arrives whole or not at all: where it cannot go on, or takes too long, its connection breaks off. */
    document: (
      request: HttpServerRequest.HttpServerRequest,
      options: { readonly contentType: string; readonly headers: Readonly<Record<string, string>> },
      blocks: Stream.Stream<Uint8Array>,
      ended: Effect.Effect<never, unknown>
    ) =>
      Effect.as(
        breakOff(request, Effect.raceFirst(Effect.ignore(ended), Effect.sleep(`${DOCUMENT_SECONDS_MAX} seconds`))),
        HttpServerResponse.stream(blocks, options)
      ),

    /** Lines of JSON. */
    lines: (request: HttpServerRequest.HttpServerRequest, lines: Stream.Stream<string>, ended: Effect.Effect<void>) =>
      respond(request, "application/x-ndjson", untilEnded(lines, ended)),

    /** An event stream, kept alive by comments. */
    events: (
      request: HttpServerRequest.HttpServerRequest,
      events: Stream.Stream<StreamedEvent>,
      ended: Effect.Effect<void>
    ) => {
      const keepAlive = Stream.tick(`${KEEP_ALIVE_SECONDS} seconds`).pipe(Stream.drop(1), Stream.as(": keep-alive\n\n"))
      const farewell = Stream.suspend(() =>
        draining.isBegun() ? Stream.succeed(`: this server is going away\n${COME_BACK}`) : Stream.empty
      )
      const alive = Stream.merge(Stream.map(events, frameOf), keepAlive, { haltStrategy: "left" })
      return respond(request, "text/event-stream", Stream.concat(untilEnded(alive, ended), farewell))
    }
  }
})
