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
import { CHANGED_NUMBER_FAULT, JSON_FAULTS, readJson } from "@agent-platform/kernel"
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

/** Parses bytes as JSON within the bounds of `readJson`, whose numbers are those that were sent. */
export const parseJson = Effect.fnUntraced(function* (bytes: ArrayBuffer | Uint8Array) {
  const text = yield* decodeUtf8(bytes)
  if (text.trim() === "") return yield* malformed("The body is missing")
  const { changed, fault, value } = readJson(text)
  if (fault !== undefined) return yield* malformed(`The body ${JSON_FAULTS[fault]}`)
  if (changed === undefined) return value
  return yield* problemOfIssues([
    { pointer: pointerOf("Payload", changed), code: "invalid_value", detail: CHANGED_NUMBER_FAULT }
  ])
})

/** The limits on sizes inside of each endpoint's body, which are worked out once. */
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

/** The bodies that were read, by Node's own request objects: Effect's are copied on the way. */
const bodies = new WeakMap<object, { readonly json: unknown }>()

/** Whether the request has no body, which counts as an empty object. RFC 9112, 6.3. */
const isWithoutBody = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0

const EMPTY = "{}"

/** A request without a body, changed so that its endpoint decodes an empty object. */
const withEmptyObject = (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest =>
  Object.create(request, {
    headers: { value: Headers.remove(request.headers, "content-type") },
    text: { value: Effect.succeed(EMPTY) }
  })

/** Fails unless the body says that it is JSON as it is read here. */
export const demandJson = ({ headers }: HttpServerRequest.HttpServerRequest) => {
  const encoding = headers["content-encoding"] ?? "identity"
  return utf8MediaType(headers["content-type"]) === "application/json" && encoding === "identity"
    ? Effect.void
    : Effect.fail(
        new UnsupportedMediaType({
          code: "unsupported_media_type",
          detail: "Send the body as Content-Type: application/json, in UTF-8 and without a content encoding"
        })
      )
}

/** The body of a request to an endpoint as JSON, read within the endpoint's bounds. The body is read once and remembered. */
export const readJsonBody = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  endpoint: HttpApiEndpoint.Top
) {
  const known = bodies.get(request.source)
  if (known !== undefined) return known.json
  if (isWithoutBody(request)) return JSON.parse(EMPTY) as unknown
  yield* demandJson(request)
  const json = yield* parseJson(yield* readBody(request, bodyLimitOf(endpoint) ?? 0))
  const oversize = oversizeOf(endpoint, json)
  if (oversize.length > 0) return yield* problemOfIssues(oversize)
  bodies.set(request.source, { json })
  return json
})

/**
 * Admits requests whose body is JSON within the endpoint's bounds; the endpoint decodes it. A request without a body is admitted
 * whatever its Content-Type.
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
