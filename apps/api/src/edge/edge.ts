/** The outermost ring: what holds for every request, known address or not. */
import { BadRequest, MethodNotAllowed } from "@agent-platform/contract"
import { Clock, Effect } from "effect"
import { Headers, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ApiSettings } from "../ApiSettings.ts"
import { withClientAddress } from "../clientAddress.ts"
import { Draining } from "../Draining.ts"
import { makeAddresses } from "./addresses.ts"
import { CurrentRequest, type RequestInfo } from "./CurrentRequest.ts"
import { answerFault } from "./faults.ts"
import { observed } from "./observed.ts"
import { problemResponse } from "./problemResponse.ts"
import { notFound } from "./problems.ts"
import { requestIdOf } from "./requestId.ts"
import { withoutCredentials } from "./withoutCredentials.ts"

/** Answers are for their caller alone, and are what they say they are. */
const SECURITY_HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY"
}

/** The router would take what follows a semicolon for the query, where nobody else does: such an address is unknown. */
const hasSemicolon = (url: string): boolean => pathOf(url).includes(";")

const isWellEncoded = (url: string): boolean => {
  if (!url.includes("%")) return true
  try {
    decodeURIComponent(url)
    return true
  } catch {
    return false
  }
}

const pathOf = (url: string): string => {
  const end = url.search(/[?#]/)
  return end === -1 ? url : url.slice(0, end)
}

/** The path as it may be repeated in answers and in the log: the token of an inbound URL is a secret. */
const shownPath = (url: string): string => pathOf(url).replace(/^(\/+api\/+v1\/+hooks\/+[^/]*\/+).+$/i, "$1…")

const badEncoding = () =>
  new BadRequest({ code: "malformed_request", detail: "The address holds an invalid percent-encoding" })

const isRouteNotFound = (error: unknown): boolean =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"

/**
 * Wraps the router: gives the request its id, turns every failure into a problem, answers OPTIONS and wrong methods, and
 * puts on each response what all have in common. `otherPaths` are the GET addresses outside the contract.
 */
export const makeEdge = (otherPaths: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { baseUrl, trustedProxies } = yield* ApiSettings
    const draining = yield* Draining
    const addressOf = makeAddresses(otherPaths)

    const unrouted = (method: string, methods: ReadonlyArray<string>, request: RequestInfo) => {
      if (methods.length === 0) return problemResponse(notFound(), request)
      const allow = methods.join(", ")
      if (method === "OPTIONS") return HttpServerResponse.empty({ status: 204, headers: { allow } })
      const detail = `${method} is not possible here; ${allow} are`
      return problemResponse(new MethodNotAllowed({ code: "method_not_allowed", detail }), request, { allow })
    }

    const finish = (response: HttpServerResponse.HttpServerResponse, requestId: string) =>
      HttpServerResponse.setHeaders(
        response,
        Headers.fromInput({
          ...SECURITY_HEADERS,
          ...response.headers,
          "x-request-id": requestId,
          ...(draining.isBegun() ? { connection: "close" } : {})
        })
      )

    return <E, R>(routed: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
      Effect.gen(function* () {
        const request = withClientAddress(yield* HttpServerRequest.HttpServerRequest, trustedProxies)
        const requestId = requestIdOf(request.headers["x-request-id"])
        const info = { requestId, instance: shownPath(request.url), baseUrl }
        const address = addressOf(pathOf(request.url))
        const startedAt = yield* Clock.currentTimeMillis
        const answered = hasSemicolon(request.url)
          ? Effect.succeed(problemResponse(notFound(), info))
          : isWellEncoded(request.url)
            ? routed.pipe(
                Effect.catchIf(isRouteNotFound, () => Effect.succeed(unrouted(request.method, address.methods, info))),
                Effect.catchCause(answerFault)
              )
            : Effect.succeed(problemResponse(badEncoding(), info))
        return yield* answered.pipe(
          Effect.map((response) => finish(response, requestId)),
          Effect.tap((response) =>
            Effect.gen(function* () {
              const millis = (yield* Clock.currentTimeMillis) - startedAt
              const line = `${request.method} ${withoutCredentials(info.instance)} ${response.status} ${millis} ms`
              yield* response.status >= 500 ? Effect.logInfo(line) : Effect.logDebug(line)
            })
          ),
          observed(request, address.template, info),
          Effect.provideService(CurrentRequest, info),
          Effect.provideService(HttpServerRequest.HttpServerRequest, request),
          Effect.annotateLogs("request_id", requestId)
        )
      })
  })
