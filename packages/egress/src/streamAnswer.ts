import type { StreamRequest } from "@agent-platform/kernel"
import { Cause, Effect, Queue, type Scope, Stream } from "effect"
import type { Connection, Connections } from "./Connections.ts"
import { type Fault, fault, faultFor, faultOf } from "./failures.ts"
import { answerHeaders } from "./sendRequest.ts"

/** Bytes that may wait to be taken before the peer is held back. */
const UNTAKEN_BYTES_MAX = 65_536

/** An answer whose body is still on its way. */
export interface OpenAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Ends when the body is whole, and fails otherwise. */
  readonly body: Stream.Stream<Uint8Array, Fault>
}

type Pieces = Queue.Queue<Uint8Array, Fault | Cause.Done>

type Head = Omit<OpenAnswer, "body">

const isPlain = (encoding: unknown): boolean => encoding === undefined || encoding === "" || encoding === "identity"

/** The pieces of one body in memory: how many bytes came, how many wait, and whether the body is whole. */
export const makeInbox = (pieces: Pieces, bytesMax: number) => {
  let received = 0
  let untaken = 0
  let resume = () => {}
  const inbox = {
    whole: false,
    /** Keeps a piece. Returns false to hold the peer back until `onDemand` is called. */
    put: (piece: Uint8Array, onDemand: () => void): boolean => {
      received += piece.length
      untaken += piece.length
      if (received > bytesMax) return inbox.fail(fault("too_large", `The answer is larger than ${bytesMax} bytes`))
      // A copy, because the client hands over a view into a buffer and uses that again.
      Queue.offerUnsafe(pieces, Uint8Array.from(piece))
      if (untaken <= UNTAKEN_BYTES_MAX) return true
      resume = onDemand
      return false
    },
    /** Counts a piece as taken, and lets the peer go on once few bytes wait. */
    taken: (piece: Uint8Array) => {
      untaken -= piece.length
      if (untaken > UNTAKEN_BYTES_MAX) return
      const go = resume
      resume = () => {}
      go()
    },
    end: () => {
      inbox.whole = true
      Queue.failCauseUnsafe(pieces, Cause.fail(Cause.Done()))
    },
    fail: (reason: Fault): false => {
      Queue.failCauseUnsafe(pieces, Cause.fail(reason))
      return false
    }
  }
  return inbox
}

/**
 * Sends one request over a connection of its own and succeeds as soon as the headers are there. Closing the scope ends it: the
 * connection is destroyed unless the body was read whole. A peer that sends faster than the body is taken is held back.
 */
export const streamAnswer = Effect.fnUntraced(function* (
  connections: Connections,
  target: { readonly origin: string; readonly path: string },
  headers: ReadonlyArray<string>,
  request: StreamRequest
): Effect.fn.Return<OpenAnswer & { readonly connection: Connection }, Fault, Scope.Scope> {
  const pieces: Pieces = yield* Queue.make<Uint8Array, Fault | Cause.Done>()
  const inbox = makeInbox(pieces, request.bytesMax)
  let over = false
  const connection = yield* Effect.acquireRelease(
    Effect.sync(() => connections.take(target.origin)),
    (taken) =>
      Effect.sync(() => {
        over = true
        connections.giveBack(taken, inbox.whole)
      })
  )

  const timedOut = faultFor("timeout")
  // One deadline over the whole request, the reading of its body included.
  yield* Effect.forkScoped(
    Effect.andThen(Effect.sleep(request.deadlineMillis), () => Effect.sync(() => inbox.fail(timedOut)))
  )
  const head = yield* Effect.callback<Head, Fault>((resume) => {
    const fail = (reason: Fault) => {
      inbox.fail(reason)
      resume(Effect.fail(reason))
    }
    connection.client.dispatch(
      { path: target.path, method: request.method, headers: [...headers], body: request.body },
      {
        onRequestStart: (controller) => {
          if (over) controller.abort(new Error("The request is over"))
        },
        onResponseStart: (controller, status, wireHeaders) => {
          if (status < 200) return
          if (!isPlain(wireHeaders["content-encoding"])) {
            fail(fault("protocol_error", "The answer is compressed, which a stream must not be"))
            return controller.abort(new Error("The request is over"))
          }
          resume(Effect.succeed({ status, headers: answerHeaders(wireHeaders, false) }))
        },
        onResponseData: (controller, piece) => {
          if (!inbox.put(piece, () => controller.resume())) controller.pause()
        },
        onResponseEnd: () => inbox.end(),
        onResponseError: (_, error) => fail(faultOf(error, connection.stage))
      }
    )
  }).pipe(
    Effect.timeoutOrElse({
      duration: Math.min(request.silenceMillis, request.deadlineMillis),
      orElse: () => Effect.fail(timedOut)
    })
  )

  const take = Queue.take(pieces).pipe(
    Effect.timeoutOrElse({ duration: request.silenceMillis, orElse: () => Effect.fail(timedOut) }),
    Effect.tap((piece) => Effect.sync(() => inbox.taken(piece)))
  )
  return { ...head, body: Stream.fromEffectRepeat(take), connection }
})
