/** Reports requests in traces, metrics and the log. */

import { TraceRatio } from "@agent-platform/process"
import { measure, parseTraceparent, whileRunning } from "@agent-platform/toolkit"
import { Clock, Effect, LogLevel, References, Tracer } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { requestDuration, requests, requestsInFlight } from "../measures.ts"
import type { RequestUnderWay } from "./CurrentRequest.ts"

type Answered<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/** A request, and the template of its address. */
interface Observed {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly route: string
  readonly info: RequestUnderWay
}

/** Probes come every few seconds, so they are counted but neither logged nor traced. */
const PROBES: ReadonlySet<string> = new Set(["/healthz", "/readyz"])

/** The status of a request whose caller has gone away, as nginx logs it. */
const GIVEN_UP = 499

/** The caller's trace, for the log. It is named whether or not spans are recorded here. */
const traceOf = ({ headers }: HttpServerRequest.HttpServerRequest) => {
  const header = headers["traceparent"]
  const parent = header === undefined ? undefined : parseTraceparent(header)
  return parent === undefined ? undefined : { trace_id: parent.traceId }
}

const millisOf = (seconds: number) => Math.round(seconds * 10_000) / 10

/** Logs a request. The line has nothing of its query, of its body or of a credential. */
const log = ({ info, request, route }: Observed, status: number, seconds: number): Effect.Effect<void> => {
  const { keyId, userId, waitedSeconds, workspaceId } = info.noted
  const millis = millisOf(seconds)
  return Effect.provideService(
    Effect.logInfo(`${request.method} ${info.instance} ${status} ${Math.round(millis)} ms`),
    References.CurrentLogAnnotations,
    {
      request_id: info.requestId,
      ...traceOf(request),
      ...(workspaceId === undefined ? undefined : { workspace_id: workspaceId }),
      ...(keyId === undefined ? undefined : { key_id: keyId }),
      ...(userId === undefined ? undefined : { user_id: userId }),
      method: request.method,
      route,
      status,
      duration_ms: millis,
      ...(waitedSeconds === 0 ? undefined : { waited_ms: millisOf(waitedSeconds) })
    }
  )
}

/** The methods that metrics tell apart. Others count together, since callers could send any number of them. */
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

const methodOf = (method: string): string => (METHODS.has(method) ? method : "_other")

/** Counts and times the request. A request whose caller goes away is counted only while it is in flight. */
const measured = <E, R>(answered: Answered<E, R>, observed: Observed): Answered<E, R> =>
  Effect.withFiber((fiber) => {
    const clock = fiber.getRef(Clock.Clock)
    const startedAt = clock.monotonicTimeNanosUnsafe()
    const taken = () => Number(clock.monotonicTimeNanosUnsafe() - startedAt) / 1e9
    // The line is not even made where its level is not logged.
    const isLogged =
      !PROBES.has(observed.route) && LogLevel.isLessThanOrEqualTo(fiber.getRef(References.MinimumLogLevel), "Info")
    const logged = (status: number, seconds: number) => (isLogged ? log(observed, status, seconds) : Effect.void)
    return answered.pipe(
      Effect.tap(({ status }) => {
        const labels = { route: observed.route, method: methodOf(observed.request.method) }
        const seconds = taken()
        return measure(requests, { ...labels, status: String(status) }, 1).pipe(
          Effect.andThen(measure(requestDuration, labels, Math.max(0, seconds - observed.info.noted.waitedSeconds))),
          Effect.andThen(logged(status, seconds))
        )
      }),
      Effect.onInterrupt(() => logged(GIVEN_UP, taken())),
      whileRunning(requestsInFlight)
    )
  })

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
 * Records the request as a span where spans are recorded at all. A request with a `traceparent` joins the caller's trace and is
 * recorded if the caller's is; of the others a share, `TraceRatio`, begins a new trace. The span has nothing of a query, a
 * credential or an inbound URL's token.
 */
const traced = <E, R>(answered: Answered<E, R>, observed: Observed): Answered<E, R> =>
  Effect.withFiber((fiber) =>
    PROBES.has(observed.route) || fiber.getRef(Tracer.Tracer) === Tracer.nativeTracer
      ? answered
      : (recorded(answered, observed) as Answered<E, R>)
  )

/** Reports a request and its response. */
export const observe =
  (one: Observed) =>
  <E, R>(answered: Answered<E, R>): Answered<E, R> =>
    traced(measured(answered, one), one)
