/** Responses to reads: 304 for callers that have the body already, and compression of larger bodies. See `docs/http.md`. */
import { Effect } from "effect"
import { HttpBody, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { codingFor, encoded, isHeld, tagOf } from "./codings.ts"

/** A body that fits into one packet does not arrive faster by being shorter. */
const COMPRESSED_FROM_BYTES = 1_400

/**
 * The reads whose responses hold a secret and are not compressed. Next to text that an attacker chooses, the compressed length
 * would reveal the secret (the attack BREACH). Responses to writes, some of which show a new secret, are never compressed.
 * `represent.test.ts` checks that the list is complete.
 */
export const SHOWS_SECRET: ReadonlySet<string> = new Set(["/api/v1/auth/me"])

const isRead = (method: string): boolean => method === "GET" || method === "HEAD"

/**
 * Gives the response to a read a tag, and compresses it or replaces it by 304. `route` is the template of its address. Streams,
 * problems, and documents that have a tag stay as they are.
 */
export const represent = (
  { headers, method }: HttpServerRequest.HttpServerRequest,
  route: string,
  response: HttpServerResponse.HttpServerResponse
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const { body, status } = response
  if (!isRead(method) || status !== 200 || body._tag !== "Uint8Array" || response.headers["etag"] !== undefined) {
    return Effect.succeed(response)
  }
  const etag = tagOf(body.body)
  const others = response.headers["vary"]
  const vary = others === undefined ? "Accept-Encoding" : `${others}, Accept-Encoding`
  const tagged = HttpServerResponse.setHeaders(response, { etag, vary })
  if (isHeld(headers, etag)) {
    const { "content-type": _type, "content-length": _length, ...kept } = tagged.headers
    return Effect.succeed(HttpServerResponse.empty({ status: 304, headers: kept }))
  }
  const coding =
    SHOWS_SECRET.has(route) || body.body.byteLength < COMPRESSED_FROM_BYTES ? "identity" : codingFor(headers)
  if (coding === "identity") return Effect.succeed(tagged)
  return Effect.map(encoded(body.body, coding), (bytes) =>
    HttpServerResponse.setBody(
      HttpServerResponse.setHeader(tagged, "content-encoding", coding),
      HttpBody.uint8Array(bytes, body.contentType)
    )
  )
}
