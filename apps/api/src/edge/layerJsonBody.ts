/** JSON bodies. Spec: Errors 4. */
import {
  BadRequest,
  type Bounds,
  bodyLimitOf,
  boundsOf,
  JsonBody,
  oversizeIn,
  type ProblemIssue,
  UnsupportedMediaType
} from "@agent-platform/contract"
import { isTextTooDeep, NESTING_MAX } from "@agent-platform/kernel"
import { Context, Effect, Layer } from "effect"
import { Headers, HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { pointerOf, problemOfIssues } from "./issues.ts"
import { utf8MediaType } from "./mediaType.ts"
import { readBody } from "./readBody.ts"

const malformed = (detail: string) => new BadRequest({ code: "malformed_json", detail })

const decodeUtf8 = (bytes: ArrayBuffer | Uint8Array) =>
  Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () => malformed("The body is not UTF-8")
  })

const parse = (text: string) =>
  Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => malformed("The body is not JSON")
  })

/** The JSON that bytes spell, nested up to `NESTING_MAX` levels. */
export const parseJson = Effect.fnUntraced(function* (bytes: ArrayBuffer | Uint8Array) {
  const text = yield* decodeUtf8(bytes)
  if (text.trim() === "") return yield* malformed("The body is missing")
  if (isTextTooDeep(text)) return yield* malformed(`The body is nested deeper than ${NESTING_MAX} levels`)
  return yield* parse(text)
})

const bounds = new WeakMap<HttpApiEndpoint.Top, Bounds>()

const boundsOfBody = (endpoint: HttpApiEndpoint.Top): Bounds => {
  const known = bounds.get(endpoint)
  if (known !== undefined) return known
  const [payload] = endpoint.payload.values()
  const found = payload?.schemas[0] === undefined ? {} : boundsOf(payload.schemas[0])
  bounds.set(endpoint, found)
  return found
}

const oversizeOf = (endpoint: HttpApiEndpoint.Top, body: unknown): ReadonlyArray<ProblemIssue> =>
  oversizeIn(boundsOfBody(endpoint), body).map(({ detail, path }) => ({
    pointer: pointerOf("Payload", path),
    code: "invalid_value",
    detail
  }))

/** The bodies that were read, by the requests that Node has of them. */
const bodies = new WeakMap<object, { readonly json: unknown }>()

/** Whether nothing was sent as a body, which counts as an object without members. RFC 9112, 6.3. */
const isWithoutBody = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0

const EMPTY = "{}"

/** A request without a body as its endpoint decodes it. */
const withEmptyObject = (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest =>
  Object.create(request, {
    headers: { value: Headers.remove(request.headers, "content-type") },
    text: { value: Effect.succeed(EMPTY) }
  })

/** The body of a request to an endpoint as JSON, read within its bounds; once, however often it is asked for. */
export const readJsonBody = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  endpoint: HttpApiEndpoint.Top
) {
  const known = bodies.get(request.source)
  if (known !== undefined) return known.json
  if (isWithoutBody(request)) return JSON.parse(EMPTY) as unknown
  const encoding = request.headers["content-encoding"] ?? "identity"
  if (utf8MediaType(request.headers["content-type"]) !== "application/json" || encoding !== "identity") {
    return yield* new UnsupportedMediaType({
      code: "unsupported_media_type",
      detail: "Send the body as Content-Type: application/json, in UTF-8 and without a content encoding"
    })
  }
  const json = yield* parseJson(yield* readBody(request, bodyLimitOf(endpoint) ?? 0))
  const oversize = oversizeOf(endpoint, json)
  if (oversize.length > 0) return yield* problemOfIssues(oversize)
  bodies.set(request.source, { json })
  return json
})

/**
 * Admits a request whose body is a piece of JSON within bounds; it is read once and decoded by the endpoint. One without a body is
 * admitted whatever it says of a type.
 */
export const layerJsonBody: Layer.Layer<JsonBody> = Layer.succeed(JsonBody, (respond, { endpoint }) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    yield* readJsonBody(request, endpoint)
    if (!isWithoutBody(request)) return yield* respond
    return yield* Effect.updateContext(respond, (context: Context.Context<never>) =>
      Context.add(context, HttpServerRequest.HttpServerRequest, withEmptyObject(request))
    )
  })
)
