/** The metrics of a process, served to Prometheus on a port of their own. Spec: Operations. */
import { createServer, type ServerResponse } from "node:http"
import { Cause, Effect, Layer, Semaphore } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { watchProcess } from "./processMeasures.ts"
import { read, SettingInvalid } from "./Setting.ts"
import { metricsHost, metricsPort } from "./settings.ts"

/** How long the readings of a process may take: a collector waits no longer than 10 s by default. */
const READING = "3 seconds"

/** The readings that a process adds. */
export interface MetricsOptions<R> {
  /** Updates measures that are read, not counted. One that fails or takes long leaves its measures as they were. */
  readonly readings: ReadonlyArray<Effect.Effect<void, unknown, R>>
}

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
      const readings = [yield* watchProcess, ...options.readings]
      const one = yield* Semaphore.make(1)
      const refresh = Effect.forEach(
        readings,
        (reading) =>
          Effect.timeoutOption(reading, READING).pipe(
            Effect.catchCause((cause) =>
              Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.logDebug("A measure could not be read", cause)
            )
          ),
        { concurrency: "unbounded", discard: true }
      )
      const page = Semaphore.withPermits(one, 1)(Effect.andThen(refresh, PrometheusMetrics.format()))
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
