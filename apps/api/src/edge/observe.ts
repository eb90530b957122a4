/** Reports requests: as a span of their trace, in metrics and in the log. */

import { TraceRatio } from "@agent-platform/process"
import { measure, parseTraceparent, whileRunning } from "@agent-platform/toolkit"
import { Duration, Effect, Tracer } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { requestDuration, requests, requestsInFlight } from "../measures.ts"
import type { RequestInfo } from "./CurrentRequest.ts"

type Answered<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/** A request, and the template of its address. */
interface Observed {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly route: string
  readonly info: RequestInfo
}

/** The log line of an answered request: a debug line, unless the fault is the platform's. */
const log = ({ info, request }: Observed, status: number, seconds: number) => {
  const millis = Math.round(seconds * 1_000)
  const line = `${request.method} ${info.instance} ${status} ${millis} ms`
  return status >= 500 ? Effect.logInfo(line) : Effect.logDebug(line)
}

/** Counts and times the request. One that was given up is counted only as long as it is in flight. */
const measured = <E, R>(answered: Answered<E, R>, observed: Observed): Answered<E, R> =>
  Effect.timed(answered).pipe(
    Effect.tap(([duration, { status }]) => {
      const labels = { route: observed.route, method: observed.request.method }
      const seconds = Duration.toSeconds(duration)
      return measure(requests, { ...labels, status: String(status) }, 1).pipe(
        Effect.andThen(measure(requestDuration, labels, seconds)),
        Effect.andThen(log(observed, status, seconds))
      )
    }),
    Effect.map(([, response]) => response),
    whileRunning(requestsInFlight)
  )

/** Records the request as a span. */
const recorded = Effect.fnUntraced(function* <E, R>(answered: Answered<E, R>, { info, request, route }: Observed) {
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
        "url.path": info.instance,
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
const traced = <E, R>(answered: Answered<E, R>, observed: Observed): Answered<E, R> =>
  Effect.withFiber((fiber) =>
    fiber.getRef(Tracer.Tracer) === Tracer.nativeTracer ? answered : (recorded(answered, observed) as Answered<E, R>)
  )

/** Reports a request and its answer. */
export const observe =
  (one: Observed) =>
  <E, R>(answered: Answered<E, R>): Answered<E, R> =>
    traced(measured(answered, one), one)
