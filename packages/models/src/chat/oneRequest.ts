/** `fetch` for a provider's SDK, over guarded egress: one request and no more, bounded in time and size. */
import type { Egress, RequestFailed, StreamRequest } from "@agent-platform/kernel"
import { Effect, Fiber, Scope, Stream } from "effect"
import { type ProviderAnswer, readAnswer } from "../ProviderAnswer.ts"
import { boundedEvents, type UnfitEvent } from "./boundedEvents.ts"
import { boundedFrames } from "./boundedFrames.ts"

/** How much is read of an answer that refuses. */
const REFUSAL_BYTES_MAX = 64 * 1024

/** The bounds of the request. */
export interface RequestBounds extends Pick<StreamRequest, "deadlineMillis" | "silenceMillis" | "bytesMax"> {
  /** Most bytes of one event of the answer. */
  readonly eventBytesMax: number
  /** Whether the events come as binary frames, and not as server-sent events. */
  readonly isFramed: boolean
}

/** The state of a request so far. */
interface Sent {
  /** Whether `fetch` was called. */
  isUsed: boolean
  /** Whether the provider has begun to answer with success. */
  hasBegun: boolean
  /** The provider's answer instead of a stream, with a status that refuses; undefined where there is none. */
  refusal: ProviderAnswer | undefined
  /** The failure of the request; undefined where there is none. */
  failure: RequestFailed | UnfitEvent | undefined
}

/** The request of one model call. */
export interface OneRequest {
  readonly fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Response>
  readonly sent: Readonly<Sent>
}

/** The headers of the SDK but `accept-encoding`: streams come uncompressed. */
const headersOf = (init: RequestInit): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...new Headers(init.headers as Headers | undefined)].filter(([name]) => name !== "accept-encoding")
  )

const hasNoBody = (status: number): boolean => status === 204 || status === 205 || status === 304

/** Up to so many bytes of a body; what comes after them is not read. */
const beginningOf = (body: Stream.Stream<Uint8Array, RequestFailed>, bytesMax: number) => {
  let left = bytesMax
  return body.pipe(
    Stream.takeUntil((piece) => {
      left -= piece.length
      return left <= 0
    }),
    Stream.runCollect,
    Effect.map((pieces) => new Uint8Array(pieces.flatMap((piece) => [...piece]).slice(0, bytesMax)))
  )
}

const send = Effect.fnUntraced(function* (
  ask: StreamRequest,
  egress: Egress["Service"],
  sent: Sent,
  { eventBytesMax, isFramed }: Pick<RequestBounds, "eventBytesMax" | "isFramed">,
  closing: AbortSignal
) {
  const noteFailure = (broken: RequestFailed | UnfitEvent) =>
    Effect.sync(() => {
      sent.failure = broken
    })
  const { body, headers, status } = yield* Effect.tapError(egress.stream(ask), noteFailure)
  if (status >= 200 && status < 300) {
    sent.hasBegun = true
    const context = yield* Effect.context<never>()
    const bounded = Stream.tapError((isFramed ? boundedFrames : boundedEvents)(body, eventBytesMax), noteFailure)
    const streamed = Stream.toReadableStreamWith(bounded, context, { signal: closing })
    return new Response(hasNoBody(status) ? null : streamed, { status, headers })
  }
  const read = yield* Effect.tapError(beginningOf(body, REFUSAL_BYTES_MAX), noteFailure)
  sent.refusal = readAnswer({ status, headers, body: read })
  // The SDK gets no body: the refusal is read here.
  return new Response(null, { status })
})

/**
 * A `fetch` that can be called once: an SDK that asks again by itself would make a call that nobody has counted. Closing the
 * scope ends the request, wherever it is, and the provider sees its connection closed.
 */
export const makeOneRequest = Effect.fnUntraced(function* (
  egress: Egress["Service"],
  { eventBytesMax, isFramed, ...bounds }: RequestBounds
): Effect.fn.Return<OneRequest, never, Scope.Scope> {
  const scope = yield* Scope.Scope
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  // An SDK may drop a body without cancelling it: once the scope is closed, nothing waits for its next piece.
  const closing = new AbortController()
  yield* Effect.addFinalizer(() => Effect.sync(() => closing.abort()))
  const sent: Sent = { isUsed: false, hasBegun: false, refusal: undefined, failure: undefined }
  return {
    fetch: (url, init = {}) => {
      const { body } = init
      if (sent.isUsed || typeof body !== "string") return Promise.reject(new Error("A model call is one request"))
      sent.isUsed = true
      const ask = {
        ...bounds,
        purpose: "providers",
        method: "POST",
        url: String(url),
        headers: headersOf(init),
        body
      } as const
      const sending = Scope.provide(send(ask, egress, sent, { eventBytesMax, isFramed }, closing.signal), scope)
      return run(Effect.flatMap(Effect.forkIn(sending, scope), Fiber.join))
    },
    sent
  }
})
