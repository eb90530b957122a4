/** Makes streaming responses: their beginning, their keep-alive comments, and their end. */
import { ServerResponse } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Cause, Duration, Effect, Stream } from "effect"
import { Sse } from "effect/encoding"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { Draining } from "./Draining.ts"

/** A stream sends something at least this often, so that no proxy takes it for dead. */
export const KEEP_ALIVE_SECONDS = 15

/** Tells a client whose stream ends early to reconnect soon; by then it reaches another process. */
const COME_BACK = Sse.encoder.write(new Sse.Retry({ duration: Duration.seconds(1), lastEventId: undefined }))

/**
 * An event to be written, of the type `message` unless it has another. An id alone marks the beginning of a stream, for clients
 * that lose it before the first event.
 */
export interface StreamedEvent {
  readonly id: string
  readonly event?: { readonly type?: string; readonly data: string }
}

// The encoder always writes data, and an id alone has none, so it is written here. WHATWG HTML, 9.2.6.
const frameOf = ({ event, id }: StreamedEvent): string =>
  event === undefined
    ? `id: ${id}\n\n`
    : Sse.encoder.write({
        _tag: "Event",
        id,
        event: event.type ?? "message",
        data: event.data
      })

const keepAlive = Stream.tick(`${KEEP_ALIVE_SECONDS} seconds`).pipe(Stream.drop(1), Stream.as(": keep-alive\n\n"))

/** How long sending a document may take, since it is held in memory until then. */
const DOCUMENT_SECONDS_MAX = 300

/** Sends the status and the headers at once, since the first event may come much later. */
const flushed = (request: HttpServerRequest.HttpServerRequest) =>
  Stream.fromEffectDrain(
    Effect.sync(() => {
      const response = NodeHttpServerRequest.toServerResponse(request)
      if (response instanceof ServerResponse) response.flushHeaders()
    })
  )

/** Logs a broken stream. No problem can be sent, since the response has begun; the client reconnects with its last event id. */
const noteBreak = (cause: Cause.Cause<never>) =>
  Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.logWarning("A stream broke off", cause)

/**
 * Makes functions for streams. Lines and events end when this process begins to stop; these and documents end when `ended` completes:
 * on a refused credential. Frames end by themselves.
 */
export const makeStreams = Effect.gen(function* () {
  const draining = yield* Draining

  const untilEnded = <A>(parts: Stream.Stream<A>, ended: Effect.Effect<void>) =>
    Stream.interruptWhen(parts, Effect.raceFirst(ended, draining.begun))

  const respond = (
    request: HttpServerRequest.HttpServerRequest,
    contentType: string,
    parts: Stream.Stream<string>,
    headers: Readonly<Record<string, string>> = {}
  ) =>
    HttpServerResponse.stream(
      Stream.concat(flushed(request), parts).pipe(Stream.tapCause(noteBreak), Stream.encodeText),
      { contentType, headers: { "x-accel-buffering": "no", ...headers } }
    )

  /** Breaks the connection off once `ended` completes, unless the response was sent by then. */
  const breakOff = (request: HttpServerRequest.HttpServerRequest, ended: Effect.Effect<void>) =>
    Effect.forkScoped(
      Effect.andThen(
        ended,
        Effect.sync(() => NodeHttpServerRequest.toServerResponse(request).destroy())
      )
    )

  return {
    /** A document that arrives completely or not at all. If it cannot be finished, or takes too long, its connection breaks off. */
    document: (
      request: HttpServerRequest.HttpServerRequest,
      options: { readonly contentType: string; readonly headers: Readonly<Record<string, string>> },
      blocks: Stream.Stream<Uint8Array>,
      /** Fails when the credential is refused, and never succeeds. */
      ended: Effect.Effect<never, unknown>
    ) =>
      Effect.as(
        breakOff(request, Effect.raceFirst(Effect.ignore(ended), Effect.sleep(`${DOCUMENT_SECONDS_MAX} seconds`))),
        HttpServerResponse.stream(blocks, options)
      ),

    /** Lines of JSON. */
    lines: (request: HttpServerRequest.HttpServerRequest, lines: Stream.Stream<string>, ended: Effect.Effect<void>) =>
      respond(request, "application/x-ndjson", untilEnded(lines, ended)),

    /**
     * An event stream whose frames the caller has written, kept alive by comments. It goes on when the process begins to stop: it is the
     * response to a request in flight, such as a model call, which is finished.
     */
    frames: (request: HttpServerRequest.HttpServerRequest, frames: Stream.Stream<string>) =>
      respond(request, "text/event-stream", Stream.merge(frames, keepAlive, { haltStrategy: "left" })),

    /** An event stream that is kept alive by comments. */
    events: (
      request: HttpServerRequest.HttpServerRequest,
      events: Stream.Stream<StreamedEvent>,
      ended: Effect.Effect<void>,
      headers?: Readonly<Record<string, string>>
    ) => {
      const farewell = Stream.suspend(() =>
        draining.isBegun() ? Stream.succeed(`: this server is going away\n${COME_BACK}`) : Stream.empty
      )
      const alive = Stream.merge(Stream.map(events, frameOf), keepAlive, { haltStrategy: "left" })
      return respond(request, "text/event-stream", Stream.concat(untilEnded(alive, ended), farewell), headers)
    }
  }
})
