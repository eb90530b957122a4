/** Reads the bytes of bodies, with limits on size (the contract's `bodyLimitOf`), time and pieces. Spec: Errors 4. */
import { finished, type Readable } from "node:stream"
import { BadRequest, ContentTooLarge, RequestTimeout } from "@agent-platform/contract"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { ByteSize, type Context, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerError, type HttpServerRequest } from "effect/http"
import { extendTimeout, within } from "./within.ts"

/** How long a body may take to arrive. */
export const BODY_SECONDS_MAX = 30

/** Most pieces in which a body may arrive. A piece may be a single byte and costs as much as many bytes. */
export const BODY_PIECES_MAX = 16_384

/** How much of the rest of a too large body is read and dropped, and for how long, so that its sender sees the response. */
export const SKIPPED_BYTES_MAX = 4 * 1024 * 1024
const SKIPPED_SECONDS_MAX = 10

type Request = HttpServerRequest.HttpServerRequest

const tooLarge = (detail: string) => new ContentTooLarge({ code: "body_too_large", detail })

const tooSlow = () =>
  new RequestTimeout({
    code: "request_timeout",
    detail: `The body did not arrive within ${BODY_SECONDS_MAX} seconds`
  })

const isTooLarge = (error: HttpServerError.HttpServerError): boolean =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"

const skipRest = (source: Readable) =>
  Effect.callback<void>((resume) => {
    let bytes = 0
    const skip = (chunk: Uint8Array) => {
      bytes += chunk.length
      if (bytes > SKIPPED_BYTES_MAX) resume(Effect.void)
    }
    source.on("data", skip)
    finished(source, () => resume(Effect.void))
  }).pipe(Effect.timeoutOption(`${SKIPPED_SECONDS_MAX} seconds`), Effect.andThen(Effect.sync(() => source.pause())))

const readBytes = (request: Request, source: Readable, bytesMax: number) =>
  request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bytesMax)),
    Effect.catch(
      (error): Effect.Effect<never, BadRequest | ContentTooLarge> =>
        isTooLarge(error)
          ? Effect.andThen(skipRest(source), Effect.fail(tooLarge(`The body is larger than ${bytesMax} bytes`)))
          : Effect.fail(new BadRequest({ code: "malformed_request", detail: "The body broke off" }))
    )
  )

/** Reads in a fiber of its own, since interrupting an unfinished read would close the connection before the response. */
const readPieces = (request: Request, bytesMax: number) =>
  Effect.contextWith((context: Context.Context<never>) =>
    Effect.callback<ArrayBuffer, BadRequest | ContentTooLarge>((resume) => {
      const source = NodeHttpServerRequest.toIncomingMessage(request) as Readable
      let pieces = 0
      const count = () => {
        if (++pieces <= BODY_PIECES_MAX) return
        source.off("data", count)
        source.pause()
        resume(Effect.fail(tooLarge(`The body comes in more than ${BODY_PIECES_MAX} pieces`)))
      }
      source.on("data", count)
      Effect.runForkWith(context)(readBytes(request, source, bytesMax)).addObserver((exit) => {
        source.off("data", count)
        resume(exit)
      })
    })
  )

/** The bytes of a request's body, at most `bytesMax`. All of them must arrive within `BODY_SECONDS_MAX`. */
export const readBody = (request: Request, bytesMax: number) =>
  extendTimeout(
    within(readPieces(request, bytesMax), BODY_SECONDS_MAX, () => Effect.fail(tooSlow())),
    BODY_SECONDS_MAX
  )
