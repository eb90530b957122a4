/** The logger of all apps: pino, which gets the lines of Effect's logger. */
import { Cause, Effect, type Fiber, Layer, Logger, type LogLevel, References } from "effect"
import { type Logger as PinoLogger, pino } from "pino"

/** The least severe level that is written. */
export type Level = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent"

const PINO_LEVELS: Partial<Record<LogLevel.LogLevel, Exclude<Level, "silent">>> = {
  Trace: "trace",
  Debug: "debug",
  Info: "info",
  Warn: "warn",
  Error: "error",
  Fatal: "fatal"
}

const EFFECT_LEVELS: Record<Level, LogLevel.LogLevel> = {
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error",
  fatal: "Fatal",
  silent: "None"
}

export interface PinoLoggerOptions {
  readonly level: Level
  /** The process that logs, on every line as `app`. */
  readonly app: string
  /** Colours and one line a message for a person; JSON otherwise. */
  readonly pretty: boolean
  /** Whether lines go to standard error: where standard output is for results. */
  readonly toStandardError?: boolean | undefined
  /** Where lines go instead of standard output or standard error. */
  readonly destination?: { readonly write: (line: string) => void } | undefined
}

/**
 * The form of a value in the log. A `Redacted` says `<redacted>` by its own toString and toJSON, so secrets are kept out
 * by their type. Errors keep their message and stack, and nothing that hangs on them.
 */
const loggable = (value: unknown): unknown => {
  if (Cause.isCause(value)) return Cause.pretty(value)
  if (value instanceof Error) return value.stack ?? String(value)
  return value
}

/** The span that a line belongs to, where spans are recorded. */
const traceOf = ({ cache: { span, tracer } }: Fiber.Fiber<unknown, unknown>) =>
  tracer === undefined || span?.sampled !== true ? {} : { trace_id: span.traceId, span_id: span.spanId }

/** A stream for a person. Its package is loaded only here: every other start spends 30 ms less of the processor. */
const prettyTo = (destination: number) =>
  Effect.map(
    Effect.promise(() => import("pino-pretty")),
    ({ PinoPretty }) => PinoPretty({ colorize: true, ignore: "app", messageFormat: "{app}: {msg}", destination })
  )

const streamOf = ({ destination, pretty, toStandardError }: PinoLoggerOptions) => {
  const descriptor = toStandardError === true ? 2 : 1
  if (destination !== undefined) return Effect.succeed(destination)
  // Each line is written at once. With a length of 0, its default, the stream takes itself to have nothing to flush.
  return pretty ? prettyTo(descriptor) : Effect.sync(() => pino.destination({ dest: descriptor, minLength: 1 }))
}

/** The longest that a process which ends waits for its lines to be taken. */
const FLUSH_TIMEOUT = "1 second"

/** Effect's logger over one of pino. */
const layerOver = (leastLevel: Level, sink: PinoLogger): Layer.Layer<never> => {
  const bridge = Logger.make<unknown, void>(({ cause, fiber, logLevel, message }) => {
    const level = PINO_LEVELS[logLevel] ?? "info"
    const parts = (Array.isArray(message) ? message : [message]).map(loggable)
    const text = parts.filter((part) => typeof part === "string").join(" ")
    const values = parts.filter((part) => typeof part !== "string")
    sink[level](
      {
        ...fiber.getRef(References.CurrentLogAnnotations),
        ...traceOf(fiber),
        ...(values.length === 0 ? {} : { values }),
        ...(cause.reasons.length === 0 ? {} : { cause: Cause.pretty(cause) })
      },
      text
    )
  })

  const flushed = Effect.callback<void>((resume) => sink.flush(() => resume(Effect.void)))

  return Layer.mergeAll(
    Logger.layer([bridge]),
    Layer.succeed(References.MinimumLogLevel, EFFECT_LEVELS[leastLevel]),
    // The last lines before an exit are the ones that matter. An exit writes those that wait before the one that is under way.
    Layer.effectDiscard(Effect.addFinalizer(() => Effect.timeoutOption(Effect.interruptible(flushed), FLUSH_TIMEOUT)))
  )
}

/** This logger in place of Effect's own. Annotations (request_id, run_id) become members of the line. */
export const layer = (options: PinoLoggerOptions): Layer.Layer<never> =>
  Layer.unwrap(
    Effect.map(streamOf(options), (stream) =>
      layerOver(options.level, pino({ level: options.level, base: { app: options.app } }, stream))
    )
  )
