/** The metrics of a process, served to Prometheus on a port of their own. Spec: Operations. */
import { createServer, type ServerResponse } from "node:http"
import { gauge, measure } from "@agent-platform/toolkit"
import { Clock, Effect, Fiber, Layer, Semaphore } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { watchProcess } from "./processMeasures.ts"
import { read, SettingInvalid } from "./Setting.ts"
import { buildRevision, metricsHost, metricsPort } from "./settings.ts"
import { VERSION } from "./version.ts"

/** How long the readings of a process may take: a collector waits no longer than 10 s by default. */
const READING = "3 seconds"

/** Updates measures that are read, not counted. One that fails or takes long leaves its measures as they were. */
export interface Reading<R> {
  /** The label of these measures in `agent_platform_reading_age_seconds`. */
  readonly name: string
  readonly read: Effect.Effect<void, unknown, R>
}

/** The readings that a process adds. */
export interface MetricsOptions<R> {
  readonly readings: ReadonlyArray<Reading<R>>
}

const buildInfo = gauge(
  "agent_platform_build_info",
  "1, with the release of this process and the revision of its code.",
  ["version", "revision"]
)

const readingAge = gauge(
  "agent_platform_reading_age_seconds",
  "For how long values that are read when they are asked for could not be read again; since the start where they never could.",
  ["reading"]
)

/** The measures of the page itself, for the documentation. */
export const PAGE_MEASURES = [buildInfo, readingAge]

/**
 * Makes an effect that runs a reading, waits for it for `READING` at most, and measures how old its values are. A reading that takes
 * longer, as it may where the database does not answer, goes on and is not begun again meanwhile.
 */
const dated = <R>({ name, read: act }: Reading<R>): Effect.Effect<Effect.Effect<void, never, R>> =>
  Effect.map(Clock.Clock, (clock) => {
    const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e9
    let doneAt = now()
    let underWay: Fiber.Fiber<void> | undefined
    const attempt = Effect.matchCauseEffect(act, {
      onSuccess: () =>
        Effect.sync(() => {
          doneAt = now()
        }),
      onFailure: (cause) => Effect.logDebug(`The measures of ${name} could not be read`, cause)
    })
    const current = Effect.suspend(() =>
      underWay !== undefined && underWay.pollUnsafe() === undefined
        ? Effect.succeed(underWay)
        : Effect.tap(Effect.forkDetach(attempt), (begun) =>
            Effect.sync(() => {
              underWay = begun
            })
          )
    )
    return current.pipe(
      Effect.flatMap((fiber) => Effect.timeoutOption(Fiber.await(fiber), READING)),
      Effect.andThen(Effect.suspend(() => measure(readingAge, { reading: name }, now() - doneAt)))
    )
  })

const answer = (response: ServerResponse, status: number, contentType: string, body: string) => {
  response.writeHead(status, { "content-type": contentType, "cache-control": "no-store" }).end(body)
}

const notListening = (cause: unknown, host: string, port: number) =>
  new SettingInvalid({
    variable: "METRICS_PORT",
    detail: `cannot be used: ${host}:${port} cannot be listened on, ${
      cause instanceof Error && "code" in cause ? String(cause.code) : String(cause)
    }`
  })

/**
 * Serves `GET /metrics` while the layer lives, where METRICS_PORT says so; otherwise does nothing. Fails with SettingInvalid
 * where that port cannot be listened on.
 */
export const layerMetrics = <R = never>(
  options: MetricsOptions<R> = { readings: [] }
): Layer.Layer<never, SettingInvalid, R> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const port = yield* read(metricsPort)
      const host = yield* read(metricsHost)
      if (port === null) return
      yield* measure(buildInfo, { version: VERSION, revision: yield* read(buildRevision) }, 1)
      const readings = [yield* watchProcess, ...(yield* Effect.forEach(options.readings, dated))]
      const oneAtATime = yield* Semaphore.make(1)
      const refresh = Effect.all(readings, { concurrency: "unbounded", discard: true })
      const page = Semaphore.withPermits(oneAtATime, 1)(Effect.andThen(refresh, PrometheusMetrics.format()))
      const run = Effect.runPromiseWith(yield* Effect.context<R>())
      const server = createServer((request, response) => {
        const path = request.url?.replace(/\?.*$/, "")
        if (path !== "/metrics") return answer(response, 404, "text/plain", "Only /metrics is here\n")
        if (request.method !== "GET" && request.method !== "HEAD") {
          response.setHeader("allow", "GET, HEAD")
          return answer(response, 405, "text/plain", "Only GET is possible here\n")
        }
        run(page).then(
          (text) => answer(response, 200, "text/plain; version=0.0.4; charset=utf-8", text),
          () => answer(response, 503, "text/plain", "The metrics cannot be read\n")
        )
      })
      yield* Effect.acquireRelease(
        Effect.callback<void, SettingInvalid>((resume) => {
          server.once("error", (cause) => resume(Effect.fail(notListening(cause, host, port))))
          server.listen(port, host, () => resume(Effect.void))
        }),
        () =>
          Effect.callback<void>((resume) => {
            server.closeAllConnections()
            server.close(() => resume(Effect.void))
          })
      )
      yield* Effect.logInfo(`Metrics are at http://${host}:${port}/metrics`)
    })
  )
