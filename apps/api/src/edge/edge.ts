/** The outermost layer of the server, through which every request passes, also one to an unknown address. */
import { MethodNotAllowed } from "@agent-platform/contract"
import { Context, Effect, References } from "effect"
import { type Headers, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ApiSettings } from "../ApiSettings.ts"
import { withClientAddress } from "../clientAddress.ts"
import { Draining } from "../Draining.ts"
import { Dashboard } from "../routes/Dashboard.ts"
import { makeAddresses, UNKNOWN } from "./addresses.ts"
import { CurrentRequest, nothingNoted, type RequestInfo, type RequestUnderWay } from "./CurrentRequest.ts"
import { makeCrossOrigin, varying } from "./crossOrigin.ts"
import { answerFault } from "./faults.ts"
import { observe } from "./observe.ts"
import { problemResponse } from "./problemResponse.ts"
import { noSuchAddress } from "./problems.ts"
import { represent } from "./represent.ts"
import { faultOf, pathOf } from "./requestFaults.ts"
import { requestIdOf } from "./requestId.ts"
import { securityHeaders } from "./securityHeaders.ts"

/** Adds the facts about a request to the context in which it is handled. */
const withRequest =
  <R>(request: HttpServerRequest.HttpServerRequest, info: RequestUnderWay) =>
  (context: Context.Context<R>): Context.Context<R> =>
    context.pipe(
      Context.add(HttpServerRequest.HttpServerRequest, request),
      Context.add(CurrentRequest, info),
      Context.add(References.CurrentLogAnnotations, {
        ...Context.get(context, References.CurrentLogAnnotations),
        request_id: info.requestId
      })
    )

/**
 * Wraps the router: gives the request its id, turns every failure into a problem, responds to OPTIONS and wrong methods, and adds
 * the common headers to each response. `gets` and `posts` are the addresses outside the contract, by method.
 */
export const makeEdge = ({ gets, posts }: Readonly<Record<"gets" | "posts", ReadonlyArray<string>>>) =>
  Effect.gen(function* () {
    const { baseUrl, corsOrigins, dashboardUrl, trustedProxies } = yield* ApiSettings
    const draining = yield* Draining
    const dashboard = yield* Dashboard
    const addressOf = makeAddresses(gets, posts)
    const crossOrigin = makeCrossOrigin(dashboardUrl, corsOrigins)
    const common = Object.entries(securityHeaders(baseUrl))

    /** The API has no such address, but the dashboard may have a page there. */
    const unknown = (request: HttpServerRequest.HttpServerRequest, path: string, info: RequestInfo) =>
      Effect.map(dashboard.find(request, path), (page) => page ?? problemResponse(noSuchAddress(), info))

    const unrouted = (
      { headers, method }: HttpServerRequest.HttpServerRequest,
      methods: ReadonlyArray<string>,
      info: RequestInfo
    ) => {
      const possible = [...methods, "OPTIONS"]
      const allow = possible.join(", ")
      if (method === "OPTIONS") {
        const preflight = crossOrigin.preflightHeadersOf(headers, possible)
        return HttpServerResponse.empty({ status: 204, headers: { allow, ...preflight } })
      }
      const detail = `${method} is not possible here; ${allow} are`
      return problemResponse(new MethodNotAllowed({ code: "method_not_allowed", detail }), info, { allow })
    }

    const finish = (response: HttpServerResponse.HttpServerResponse, headers: Headers.Headers, requestId: string) => {
      // The response's own headers go before the common ones.
      const added: Record<string, string> = crossOrigin.headersOf(headers)
      for (const [name, value] of common) if (response.headers[name] === undefined) added[name] = value
      added["vary"] = varying(response.headers["vary"])
      added["x-request-id"] = requestId
      if (draining.isAnnounced()) added["connection"] = "close"
      return HttpServerResponse.setHeaders(response, added)
    }

    return <E, R>(routed: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
      Effect.withFiber((fiber) => {
        const given = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
        const request = withClientAddress(given, trustedProxies)
        const requestId = requestIdOf(request.headers["x-request-id"])
        const path = pathOf(request.url)
        const fault = faultOf(request, path)
        const address = fault === undefined ? addressOf(path) : UNKNOWN
        const info = { requestId, instance: address.shown, baseUrl, noted: nothingNoted() }
        const answered =
          fault !== undefined
            ? Effect.succeed(problemResponse(fault, info))
            : address.methods.includes(request.method)
              ? Effect.catchCause(routed, answerFault)
              : address.methods.length === 0
                ? Effect.catchCause(unknown(request, path, info), answerFault)
                : Effect.succeed(unrouted(request, address.methods, info))
        return answered.pipe(
          Effect.flatMap((response) => represent(request, address.template, response)),
          Effect.map((response) => finish(response, request.headers, requestId)),
          observe({ request, route: address.template, info }),
          Effect.updateContext(withRequest<R>(request, info))
        )
      })
  })
