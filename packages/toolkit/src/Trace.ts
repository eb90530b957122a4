/** Traces across processes: what is done for one request, wherever it is done, has the same trace id. */
import { Clock, Effect, type Exit, Option, Tracer } from "effect"

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

const ZEROS = /^0+$/

/**
 * The span that a `traceparent` names; undefined for what is none. Later versions than ours may say more after it. W3C Trace
 * Context, 3.2.
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
 * The current span as a `traceparent`, for whoever goes on later or elsewhere; null where nobody records spans or the trace
 * is not one of those that are recorded.
 */
export const currentTraceparent: Effect.Effect<string | null> = Effect.flatMap(Effect.tracer, (tracer) =>
  tracer === Tracer.nativeTracer
    ? Effect.succeed(null)
    : Effect.map(
        Effect.option(Effect.currentParentSpan),
        Option.match({
          onNone: () => null,
          onSome: (span) => (span.sampled ? formatTraceparent(span) : null)
        })
      )
)

/** What a span that goes on with a trace says of itself. */
export interface Continuation {
  /** A `traceparent`; without one nothing is recorded. */
  readonly trace: string | null | undefined
  readonly kind: Tracer.SpanKind
  readonly attributes: Readonly<Record<string, unknown>>
}

/** Does something as a span of the trace that it belongs to. Costs nothing where nobody records spans. */
export const inTrace =
  (name: string, { attributes, kind, trace }: Continuation) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const parent = trace === null || trace === undefined ? undefined : parseTraceparent(trace)
    if (parent === undefined) return effect
    return Effect.flatMap(
      Effect.tracer,
      (tracer): Effect.Effect<A, E, R> =>
        tracer === Tracer.nativeTracer
          ? effect
          : (Effect.withSpan(effect, name, { parent, kind, attributes }) as Effect.Effect<A, E, R>)
    )
  }

/** Ends a span with what it came to. */
export type EndSpan = (exit: Exit.Exit<unknown, unknown>) => void

/** Begins a span of the trace that something belongs to, which ends by callback; undefined where nobody records it. */
export type BeginSpan = (name: string, continuation: Continuation) => EndSpan | undefined

/**
 * What begins such spans where the effect is run, without an effect for each. For what has a fiber, `inTrace` is the one to
 * use.
 */
export const makeBeginSpan: Effect.Effect<BeginSpan> = Effect.gen(function* (): Effect.gen.Return<BeginSpan> {
  const tracer = yield* Effect.tracer
  if (tracer === Tracer.nativeTracer) return () => undefined
  const clock = yield* Clock.Clock
  const run = Effect.runSyncWith(yield* Effect.context<never>())
  return (name, { attributes, kind, trace }) => {
    const parent = trace === null || trace === undefined ? undefined : parseTraceparent(trace)
    if (parent === undefined) return undefined
    const span = run(Effect.makeSpan(name, { parent, kind, attributes }))
    return (exit) => span.end(clock.currentTimeNanosUnsafe(), exit)
  }
})
