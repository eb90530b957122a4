/** Runs effects for callers who know none: promises, refusals as `EmbedError`, and a life that ends once. */
import { Cause, type Context, Effect, Exit, type Layer, Logger, ManagedRuntime, Predicate, Scope } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { EmbedError } from "./EmbedError.ts"

/** A line for the host's log. */
export interface LogEntry {
  readonly level: "debug" | "info" | "warn" | "error"
  readonly message: string
  /** The failure with its stack, where the line is about one. */
  readonly cause?: string
}

const LEVELS: Readonly<Record<string, LogEntry["level"]>> = {
  Fatal: "error",
  Error: "error",
  Warn: "warn",
  Info: "info"
}

const toConsole = ({ cause, level, message }: LogEntry): void => {
  // biome-ignore lint/suspicious/noConsole: a host that gives no log is told of failures all the same
  if (level === "error" || level === "warn") console[level](cause === undefined ? message : `${message}\n${cause}`)
}

/** Hands every line to the host; without `log` warnings and errors go to the console. */
export const layerLog = (log: (entry: LogEntry) => void = toConsole): Layer.Layer<never> =>
  Logger.layer([
    Logger.make<unknown, void>(({ cause, logLevel, message }) => {
      const parts = (Array.isArray(message) ? message : [message]).map((part) =>
        Cause.isCause(part) ? Cause.pretty(part) : String(part)
      )
      log({
        level: LEVELS[logLevel] ?? "debug",
        message: parts.join(" "),
        ...(cause.reasons.length === 0 ? {} : { cause: Cause.pretty(cause) })
      })
    })
  ])

/** Says a domain's own error to callers of a door; undefined for one that is not theirs. */
export type Translate = (error: { readonly _tag: string }) => EmbedError | undefined

const innermost = (error: unknown): string => {
  if (Predicate.hasProperty(error, "cause") && error.cause !== undefined) return innermost(error.cause)
  return error instanceof Error ? error.message : String(error)
}

const ofDatabase = (error: unknown, schema: string | undefined): EmbedError => {
  const said = innermost(error)
  if (/(relation|schema|function) .*does not exist/.test(said)) {
    return new EmbedError(
      "not_migrated",
      `The schema "${schema}" lacks our tables: call migrate() first (${said})`,
      {},
      error
    )
  }
  if (said.startsWith("publish_event: "))
    return new EmbedError("event_refused", said.slice("publish_event: ".length), {}, error)
  return new EmbedError("database_failed", `The database failed: ${said}`, {}, error)
}

/** Why an effect ended otherwise than by success, as it is thrown. */
export const thrownBy = (cause: Cause.Cause<unknown>, translate: Translate, schema?: string): unknown => {
  const error = Cause.squash(cause)
  if (error instanceof EmbedError) return error
  if (isSqlError(error)) return ofDatabase(error, schema)
  if (Predicate.hasProperty(error, "_tag") && typeof error._tag === "string") {
    const translated = translate(error as { readonly _tag: string })
    if (translated !== undefined) return translated
  }
  return error
}

/** Runs for one door. */
export interface DoorRuntime<R> {
  readonly run: <A, E>(effect: Effect.Effect<A, E, R>) => Promise<A>
  /** Starts what goes on until `close`, once: later calls answer the first. */
  readonly start: () => Promise<void>
  readonly close: () => Promise<void>
}

/**
 * Runs effects over the layer, which is built by the first of them; where that fails, by the next. `background` is what
 * `start` starts.
 */
export const makeDoorRuntime = <R, E, E2>(options: {
  readonly layer: Layer.Layer<R, E>
  readonly background: Effect.Effect<void, E2, NoInfer<R> | Scope.Scope>
  readonly translate: Translate
  readonly schema: string | undefined
}): DoorRuntime<R> => {
  let runtime: ManagedRuntime.ManagedRuntime<R, E> | undefined
  let started: Promise<void> | undefined
  let closing: Promise<void> | undefined
  const scope = Scope.makeUnsafe()

  const built = async (): Promise<Context.Context<R>> => {
    if (closing !== undefined) throw new EmbedError("closed", "This was closed: nothing can be asked of it any more")
    const mine = runtime ?? ManagedRuntime.make(options.layer)
    runtime = mine
    try {
      return await mine.context()
    } catch (error) {
      if (runtime === mine) runtime = undefined
      await mine.dispose()
      throw isSqlError(error) ? ofDatabase(error, options.schema) : error
    }
  }

  const run = async <A, E3>(effect: Effect.Effect<A, E3, R>): Promise<A> => {
    const exit = await Effect.runPromiseExitWith(await built())(effect)
    if (Exit.isSuccess(exit)) return exit.value
    throw thrownBy(exit.cause, options.translate, options.schema)
  }

  return {
    run,
    start: () => {
      started ??= run(Scope.provide(options.background, scope) as Effect.Effect<void, E2, R>).catch((error) => {
        started = undefined
        throw error
      })
      return started
    },
    close: () => {
      closing ??= (async () => {
        await started?.catch(() => undefined)
        await Effect.runPromise(Scope.close(scope, Exit.void))
        await runtime?.dispose()
      })()
      return closing
    }
  }
}
