/** Finds the credential of a request, in a header or a cookie. Spec: API keys 2 and 3. */
import { IncomingMessage } from "node:http"
import { BadRequest, SESSION_COOKIE, Unauthorized } from "@agent-platform/contract"
import { Effect, Redacted } from "effect"
import type { Headers, HttpServerRequest } from "effect/http"
import { cookiesNamed } from "./cookies.ts"

const missing = () =>
  new Unauthorized({
    code: "missing_credential",
    detail: "Send an API key as Authorization: Bearer <key> or as X-API-Key: <key>, or log in"
  })

const conflicting = (detail: string) => new BadRequest({ code: "conflicting_credentials", detail })

/** The value of a header; an empty one counts as absent. */
export const valueOf = (headers: Headers.Headers, name: string): string | undefined => {
  const value = headers[name]?.trim()
  return value === "" ? undefined : value
}

/** The credential after `Bearer`; undefined for none. Another scheme leaves the whole text, which is no key. */
const bearerOf = (authorization: string): string | undefined =>
  /^(?:bearer)?$/i.test(authorization) ? undefined : authorization.replace(/^bearer +/i, "")

/** Every value of the Authorization header. Node's own headers hold only the first of several. */
const authorizationsOf = ({ headers, source }: HttpServerRequest.HttpServerRequest): ReadonlyArray<string> => {
  if (headers.authorization === undefined) return []
  if (!(source instanceof IncomingMessage)) return [headers.authorization]
  return source.rawHeaders.filter(
    (_, index, raw) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === "authorization"
  )
}

/** The credential of a request: an API key, or the secret of a session. */
export interface Credential {
  readonly type: "api_key" | "session"
  readonly value: Redacted.Redacted
}

const sessionOf = (headers: Headers.Headers): Effect.Effect<Credential, BadRequest | Unauthorized> => {
  const [secret, ...others] = new Set(cookiesNamed(headers, SESSION_COOKIE))
  if (others.length > 0) return Effect.fail(conflicting("There are several cookies of a session. Send one of them"))
  return secret === undefined
    ? Effect.fail(missing())
    : Effect.succeed({ type: "session", value: Redacted.make(secret) })
}

/** The credential of a request. A request with an API key, valid or not, is never recognised by its session. */
export const credentialOf = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<Credential, BadRequest | Unauthorized> => {
  const [bearer, ...others] = authorizationsOf(request).map((value) => bearerOf(value.trim()))
  const apiKey = valueOf(request.headers, "x-api-key")
  if (others.some((other) => other !== bearer) || (bearer !== undefined && apiKey !== undefined && bearer !== apiKey)) {
    return Effect.fail(conflicting("The credential headers hold different values. Send one of them"))
  }
  const key = bearer ?? apiKey
  return key === undefined ? sessionOf(request.headers) : Effect.succeed({ type: "api_key", value: Redacted.make(key) })
}
