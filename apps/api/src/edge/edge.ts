/** The outermost ring: what holds for every request, known address or not. */
import { MethodNotAllowed } from "@agent-platform/contract"
import { Clock, Effect, LogLevel, References } from "effect"
import { Headers, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ApiSettings } from "../ApiSettings.ts"
import { withClientAddress } from "../clientAddress.ts"
import { Draining } from "../Draining.ts"
import { makeAddresses } from "./addresses.ts"
import { CurrentRequest, type RequestInfo } from "./CurrentRequest.ts"
import { makeCrossOrigin, varying } from "./crossOrigin.ts"
import { answerFault } from "./faults.ts"
import { observed } from "./observed.ts"
import { problemResponse } from "./problemResponse.ts"
import { notFound } from "./problems.ts"
import { faultOf, pathOf } from "./requestFaults.ts"
import { requestIdOf } from "./requestId.ts"
import { securityHeaders } from "./securityHeaders.ts"
import { withoutCredentials } from "./withoutCredentials.ts"

/** The path as it may be repeated in answers and in the log: the token of an inbound URL is a secret. */
const shownPath = (url: string): string => pathOf(url).replace(/^(\/+api\/+v1\/+hooks\/+[^/]*\/+).+$/i, "$1…")

const isRouteNotFound = (error: unknown): boolean =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"

/** The request with its headers read: they would be read anew by everybody who looks at one of them. */
const withHeaders = (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest =>
  request.modify({ headers: request.headers })

/** A line about a request that was answered: for whoever looks for one, and for everybody where it is the platform's fault. */
const logged = Effect.fnUntraced(function* (
  { method }: HttpServerRequest.HttpServerRequest,
  { instance }: RequestInfo,
  { status }: HttpServerResponse.HttpServerResponse,
  startedAt: number
) {
  if (status < 500 && LogLevel.isGreaterThan(yield* References.MinimumLogLevel, "Debug")) return
  const millis = (yield* Clock.currentTimeMillis) - startedAt
  const line = `${method} ${withoutCredentials(instance)} ${status} ${millis} ms`
  yield* status >= 500 ? Effect.logInfo(line) : Effect.logDebug(line)
})

/**
 * Wraps the router: gives the request its id, turns every failure into a problem, answers OPTIONS and wrong methods, and
 * puts on each response what all have in common. `otherPaths` are the GET addresses outside the contract.
 */
export const makeEdge = (otherPaths: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { baseUrl, dashboardUrl, trustedProxies } = yield* ApiSettings
    const draining = yield* Draining
    const addressOf = makeAddresses(otherPaths)
    const crossOrigin = makeCrossOrigin(dashboardUrl)
    const common = securityHeaders(baseUrl)

    const unrouted = (
      { headers, method }: HttpServerRequest.HttpServerRequest,
      methods: ReadonlyArray<string>,
      request: RequestInfo
    ) => {
      if (methods.length === 0) return problemResponse(notFound(), request)
      const allow = methods.join(", ")
      if (method === "OPTIONS") {
        const preflight = crossOrigin.preflightHeadersOf(headers, methods)
        return HttpServerResponse.empty({ status: 204, headers: { allow, ...preflight } })
      }
      const detail = `${method} is not possible here; ${allow} are`
      return problemResponse(new MethodNotAllowed({ code: "method_not_allowed", detail }), request, { allow })
    }

    const finish = (response: HttpServerResponse.HttpServerResponse, headers: Headers.Headers, requestId: string) =>
      HttpServerResponse.setHeaders(
        response,
        Headers.fromInput({
          ...common,
          ...response.headers,
          ...crossOrigin.headersOf(headers),
          vary: varying(response.headers["vary"]),
          "x-request-id": requestId,
          ...(draining.isBegun() ? { connection: "close" } : {})
        })
      )

    return <E, R>(routed: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
      Effect.gen(function* () {
        const request = withHeaders(withClientAddress(yield* HttpServerRequest.HttpServerRequest, trustedProxies))
        const requestId = requestIdOf(request.headers["x-request-id"])
        const info = { requestId, instance: shownPath(request.url), baseUrl }
        const address = addressOf(pathOf(request.url))
        const startedAt = yield* Clock.currentTimeMillis
        const fault = faultOf(request)
        const answered =
          fault !== undefined
            ? Effect.succeed(problemResponse(fault, info))
            : routed.pipe(
                Effect.catchIf(isRouteNotFound, () => Effect.succeed(unrouted(request, address.methods(), info))),
                Effect.catchCause(answerFault)
              )
        return yield* answered.pipe(
          Effect.map((response) => finish(response, request.headers, requestId)),
          Effect.tap((response) => logged(request, info, response, startedAt)),
          observed(request, address.template, info),
          Effect.provideService(CurrentRequest, info),
          Effect.provideService(HttpServerRequest.HttpServerRequest, request),
          Effect.annotateLogs("request_id", requestId)
        )
      })
  })
