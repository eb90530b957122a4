/** How requests are told of: as a span of their trace, and in the measures. */
import { measure, parseTraceparent, whileRunning } from "@agent-platform/kernel"
import { TraceRatio } from "@agent-platform/process"
import { Clock, Effect, Tracer } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { requestDuration, requests, requestsInFlight } from "../measures.ts"
import type { RequestInfo } from "./CurrentRequest.ts"
import { withoutCredentials } from "./withoutCredentials.ts"

type Answered<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/** Counts and times the request. */
const measured = Effect.fnUntraced(function* <E, R>(answered: Answered<E, R>, method: string, route: string) {
  const clock = yield* Clock.Clock
  const startedAt = clock.currentTimeNanosUnsafe()
  const response = yield* answered
  const seconds = Number(clock.currentTimeNanosUnsafe() - startedAt) / 1e9
  yield* measure(requests, { route, method, status: String(response.status) }, 1)
  yield* measure(requestDuration, { route, method }, seconds)
  return response
})

/** Records the request as a span. */
const recorded = Effect.fnUntraced(function* <E, R>(
  answered: Answered<E, R>,
  request: HttpServerRequest.HttpServerRequest,
  route: string,
  info: RequestInfo
) {
  const parent = parseTraceparent(request.headers["traceparent"] ?? "")
  const ratio = yield* TraceRatio
  const sampled = parent?.sampled ?? (ratio >= 1 || Math.random() < ratio)
  return yield* Effect.tap(answered, (response) =>
    Effect.annotateCurrentSpan("http.response.status_code", response.status)
  ).pipe(
    Effect.withSpan(`${request.method} ${route}`, {
      kind: "server",
      sampled,
      ...(parent === undefined ? { root: true } : { parent }),
      attributes: {
        "http.request.method": request.method,
        "http.route": route,
        "url.path": withoutCredentials(info.instance),
        request_id: info.requestId
      }
    })
  )
})

/**
 * Records the request, where anybody records spans: of the caller's trace if it sent a `traceparent`, and then as the caller
 * has it recorded or not; of a new one for that part of the others that is to be traced. Nothing of a query, a credential or
 * an inbound URL's token is in it.
 */
const traced =
  (request: HttpServerRequest.HttpServerRequest, route: string, info: RequestInfo) =>
  <E, R>(answered: Answered<E, R>): Answered<E, R> =>
    Effect.flatMap(Effect.tracer, (tracer) =>
      tracer === Tracer.nativeTracer ? answered : (recorded(answered, request, route, info) as Answered<E, R>)
    )

/** Tells of a request to the address of this template. */
export const observed =
  (request: HttpServerRequest.HttpServerRequest, route: string, info: RequestInfo) =>
  <E, R>(answered: Answered<E, R>): Answered<E, R> =>
    measured(answered, request.method, route).pipe(whileRunning(requestsInFlight), traced(request, route, info))
