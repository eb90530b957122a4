/** Traces across processes: all work for one request has one trace id. */
import { Clock, Effect, type Exit, Option, Tracer } from "effect"

/** Whether spans are recorded: Effect's own tracer, which is there unless another is provided, exports none. */
export const isRecording = (tracer: Tracer.Tracer): boolean => tracer !== Tracer.nativeTracer

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

const ZEROS = /^0+$/

/**
 * The span that a `traceparent` names; undefined where the text is none. Later versions may append fields (W3C Trace Context,
 * 3.2).
 */
export const parseTraceparent = (text: string): Tracer.ExternalSpan | undefined => {
  const [, version = "ff", traceId = "", spanId = "", flags = "", rest] = TRACEPARENT.exec(text) ?? []
  if (version === "ff" || (version === "00" && rest !== undefined)) return undefined
  if (ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined
  return Tracer.externalSpan({ traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 })
}

/** A span as a `traceparent`. */
export const formatTraceparent = (span: Tracer.AnySpan): string =>
  `00-${span.traceId}-${span.spanId}-${span.sampled ? "01" : "00"}`

/**
 * The current span as a `traceparent`, to continue the trace later or in another process. Null where spans are not recorded or
 * the trace is not sampled.
 */
export const currentTraceparent: Effect.Effect<string | null> = Effect.flatMap(Effect.tracer, (tracer) =>
  isRecording(tracer)
    ? Effect.map(
        Effect.option(Effect.currentParentSpan),
        Option.match({
          onNone: () => null,
          onSome: (span) => (span.sampled ? formatTraceparent(span) : null)
        })
      )
    : Effect.succeed(null)
)

/** A span that continues a trace. */
export interface Continuation {
  /** A `traceparent`; without one nothing is recorded. */
  readonly trace: string | null | undefined
  readonly kind: Tracer.SpanKind
  readonly attributes: Readonly<Record<string, unknown>>
}

/**
 * Runs an effect as a span that continues its trace, and without a span where spans are not recorded. The cast: `withSpan` provides
 * the parent.
 */
export const inTrace =
  (name: string, { attributes, kind, trace }: Continuation) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const parent = trace === null || trace === undefined ? undefined : parseTraceparent(trace)
    if (parent === undefined) return effect
    return Effect.flatMap(
      Effect.tracer,
      (tracer): Effect.Effect<A, E, R> =>
        isRecording(tracer)
          ? (Effect.withSpan(effect, name, { parent, kind, attributes }) as Effect.Effect<A, E, R>)
          : effect
    )
  }

/** Ends a span with its exit. */
export type EndSpan = (exit: Exit.Exit<unknown, unknown>) => void

/** Begins a span, and returns the function that ends it; undefined where it is not recorded. */
export type BeginSpan = (name: string, continuation: Continuation) => EndSpan | undefined

/**
 * A function that begins spans with the tracer of the current context, without an effect for each. Work that has a fiber uses
 * `inTrace`.
 */
export const makeBeginSpan: Effect.Effect<BeginSpan> = Effect.gen(function* (): Effect.gen.Return<BeginSpan> {
  const tracer = yield* Effect.tracer
  if (!isRecording(tracer)) return () => undefined
  const clock = yield* Clock.Clock
  const run = Effect.runSyncWith(yield* Effect.context<never>())
  return (name, { attributes, kind, trace }) => {
    const parent = trace === null || trace === undefined ? undefined : parseTraceparent(trace)
    if (parent === undefined) return undefined
    const span = run(Effect.makeSpan(name, { parent, kind, attributes }))
    return (exit) => span.end(clock.currentTimeNanosUnsafe(), exit)
  }
})
