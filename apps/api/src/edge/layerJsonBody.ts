/** Reads bodies. Contract: Errors, 400, 408, 413 and 415. */

import { finished, type Readable } from "node:stream"
import { BadRequest, ContentTooLarge, JsonBody, RequestTimeout, UnsupportedMediaType } from "@agent-platform/contract"
import { isTextTooDeep, NESTING_MAX } from "@agent-platform/kernel"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { ByteSize, Effect, Fiber, Layer } from "effect"
import { HttpIncomingMessage, type HttpServerError, HttpServerRequest } from "effect/http"
import { within } from "./within.ts"

/** Most bytes of a body. */
export const BODY_BYTES_MAX = 1024 * 1024

/** How long a body may take to arrive. */
export const BODY_SECONDS_MAX = 30

/** How long the rest of a body that is too large is read, so that its sender gets to see the answer. */
const DRAIN_SECONDS_MAX = 10

const JSON_TYPE = /^application\/json\s*(;|$)/i

const tooLarge = () =>
  new ContentTooLarge({ code: "body_too_large", detail: `The body is larger than ${BODY_BYTES_MAX} bytes` })

const tooSlow = () =>
  new RequestTimeout({
    code: "request_timeout",
    detail: `The body did not arrive within ${BODY_SECONDS_MAX} seconds`
  })

const malformed = (detail: string) => new BadRequest({ code: "malformed_json", detail })

const isTooLarge = (error: HttpServerError.HttpServerError): boolean =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"

const drained = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.callback<void>((resume) => {
    const source = NodeHttpServerRequest.toIncomingMessage(request)
    return Effect.sync(finished(source as Readable, () => resume(Effect.void)))
  }).pipe(Effect.timeoutOption(`${DRAIN_SECONDS_MAX} seconds`))

const readBytes = (request: HttpServerRequest.HttpServerRequest) =>
  request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(BODY_BYTES_MAX)),
    Effect.catch(
      (error): Effect.Effect<never, BadRequest | ContentTooLarge> =>
        isTooLarge(error)
          ? Effect.andThen(drained(request), Effect.fail(tooLarge()))
          : Effect.fail(new BadRequest({ code: "malformed_request", detail: "The body broke off" }))
    )
  )

const decodeUtf8 = (bytes: ArrayBuffer) =>
  Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () => malformed("The body is not UTF-8")
  })

const parse = (text: string) =>
  Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => malformed("The body is not JSON")
  })

/** The bytes of the body, read within its bounds of size and time. */
export const readBody = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  // Read by a fiber of its own: giving up an unfinished reading would cut the connection before it could be answered.
  const reading = yield* Effect.forkDetach(readBytes(request), { startImmediately: true })
  return yield* within(Fiber.join(reading), BODY_SECONDS_MAX, () => Effect.fail(tooSlow()))
})

/** The JSON that bytes spell, nested up to `NESTING_MAX` levels. */
export const parseJson = Effect.fnUntraced(function* (bytes: ArrayBuffer) {
  const text = yield* decodeUtf8(bytes)
  if (text.trim() === "") return yield* malformed("The body is missing")
  if (isTextTooDeep(text)) return yield* malformed(`The body is nested deeper than ${NESTING_MAX} levels`)
  return yield* parse(text)
})

/** The body as JSON, read within its bounds; once, however often it is asked for. */
export const readJsonBody = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const encoding = request.headers["content-encoding"] ?? "identity"
  if (!JSON_TYPE.test(request.headers["content-type"] ?? "") || encoding !== "identity") {
    return yield* new UnsupportedMediaType({
      code: "unsupported_media_type",
      detail: "Send the body as Content-Type: application/json, without a content encoding"
    })
  }
  return yield* parseJson(yield* readBody(request))
})

/** Admits a request whose body is a piece of JSON within bounds; it is read once and decoded by the endpoint. */
export const layerJsonBody: Layer.Layer<JsonBody> = Layer.succeed(JsonBody, (respond) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    yield* readJsonBody(request)
    return yield* respond
  })
)
