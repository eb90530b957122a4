/** Traces that lead from a request over its run to the deliveries, sent to a collector by OTLP. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Context, Effect, Layer, Option, Record, Redacted, References, Tracer } from "effect"
import { OtlpExporter, OtlpSerialization, OtlpTracer } from "effect/observability"
import { read, type SettingInvalid } from "./Setting.ts"
import { buildRevision, otlpEndpoint, otlpHeaders, otlpResource, traceRatio } from "./settings.ts"
import { VERSION } from "./version.ts"

/** The fraction of requests that is traced, from 0 to 1, of those without a `traceparent` that decides it. */
export const TraceRatio = Context.Reference<number>("@agent-platform/process/TraceRatio", { defaultValue: () => 0 })

/** How often ended spans are sent, and how long a stopping process waits for the last of them. */
const EXPORT_INTERVAL = "2 seconds"
const SHUTDOWN = "3 seconds"

/**
 * A tracer that records the spans of requests, and those below a span: a run and a delivery continue the trace of their request. Work
 * that begins by itself gets no trace: a worker looks for more work every second, and the exporter's own requests would have to be
 * reported, too.
 */
const ofRequests = (inner: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    span: (options) =>
      inner.span(Option.isNone(options.parent) && options.kind !== "server" ? { ...options, sampled: false } : options),
    context: inner.context
  })

/**
 * Sends traces to OTEL_EXPORTER_OTLP_ENDPOINT under the process's name; does nothing where that is off. An unreachable
 * collector loses its spans, and nothing else is affected.
 */
export const layerTracing = (app: string): Layer.Layer<never, SettingInvalid> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const endpoint = yield* read(otlpEndpoint)
      const headers = yield* read(otlpHeaders)
      const attributes = yield* read(otlpResource)
      const revision = yield* read(buildRevision)
      const ratio = yield* read(traceRatio)
      // Otherwise spans would be made for every use case and statement, and nobody would see them.
      if (endpoint === null) return Layer.succeed(References.TracerEnabled, false)
      const tracer = Layer.effect(
        Tracer.Tracer,
        Effect.map(
          OtlpTracer.make({
            url: `${endpoint}/v1/traces`,
            headers: Redacted.value(headers),
            resource: {
              serviceName: `agent-platform-${app}`,
              serviceVersion: VERSION,
              attributes: {
                "vcs.ref.head.revision": revision,
                ...Record.remove(Record.remove(attributes, "service.name"), "service.version")
              }
            },
            exportInterval: EXPORT_INTERVAL,
            shutdownTimeout: SHUTDOWN
          }),
          ofRequests
        )
      ).pipe(
        Layer.provide([OtlpExporter.layerFlusher, OtlpSerialization.layerJson]),
        Layer.provide(NodeHttpClient.layerNodeHttp)
      )
      return Layer.merge(tracer, Layer.succeed(TraceRatio, ratio))
    })
  )
