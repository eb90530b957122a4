/** Runs effects for callers without Effect: as promises, with refusals as `EmbedError`, until the entry point is closed. */
import { asGuest, requireInstalled } from "@agent-platform/postgres"
import {
  Cause,
  type Context,
  Deferred,
  Effect,
  Exit,
  type Layer,
  Logger,
  ManagedRuntime,
  Predicate,
  Scope
} from "effect"
import type { SqlClient } from "effect/sql"
import { isSqlError } from "effect/sql/SqlError"
import type { HostClient } from "../clients/index.ts"
import type { Domains, Installation } from "./database.ts"
import { EmbedError, type Translate } from "./EmbedError.ts"
import { translateSchema } from "./translateSchema.ts"

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
  // biome-ignore lint/suspicious/noConsole: a host that gives no log sees failures all the same
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

const innermost = (error: unknown): string => {
  if (Predicate.hasProperty(error, "cause") && error.cause !== undefined) return innermost(error.cause)
  return error instanceof Error ? error.message : String(error)
}

/** The error that the database client threw, where it is wrapped in another. */
const causeOf = (error: unknown): unknown => (isSqlError(error) ? error.reason.cause : error)

/** The refusal for a failure of the database. It says what to do where that is known. */
const databaseError = (error: unknown, schema: string | undefined): EmbedError => {
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

/** Refuses a value that is no client, and any client where everything is in memory. */
export const requireClient = (client: HostClient, installation: Installation | undefined): Installation => {
  if (installation === undefined) {
    throw new EmbedError(
      "client_without_database",
      "In memory there is no transaction of a client: leave client out, or give a database"
    )
  }
  if (!Predicate.hasProperty(client, "query") || typeof client.query !== "function") {
    throw new EmbedError(
      "input_invalid",
      "client has a method query(text, params), as those of pg have: for others @agent-platform/embed/clients makes one"
    )
  }
  return installation
}

/** The error of the host's client as it was thrown; or an `EmbedError` that says what to do, if the host has misused the client. */
const clientError = (error: unknown, schema: string | undefined): unknown => {
  const thrown = causeOf(error)
  const code = Predicate.hasProperty(thrown, "code") ? thrown.code : undefined
  const said = innermost(thrown)
  // `no_active_sql_transaction` of Postgres.
  if (code === "25P01" || /can only be used in transaction blocks/.test(said)) {
    return new EmbedError(
      "client_without_transaction",
      "The client is in no transaction: begin one, and pass the client that it is in, not a pool",
      {},
      thrown
    )
  }
  const known = databaseError(thrown, schema)
  return known.code === "not_migrated" ? known : thrown
}

/** The error that is thrown for an effect that has not succeeded. */
export const thrownBy = (cause: Cause.Cause<unknown>, translate: Translate, schema?: string): unknown => {
  const error = Cause.squash(cause)
  if (error instanceof EmbedError) return error
  if (isSqlError(error)) return databaseError(error, schema)
  if (Predicate.hasProperty(error, "_tag") && typeof error._tag === "string") {
    const translated = translate(error as { readonly _tag: string })
    if (translated !== undefined) return translated
  }
  return error
}

/** Runs the effects of one entry point. */
export interface EmbeddedRuntime<R> {
  readonly run: <A, E>(effect: Effect.Effect<A, E, R>) => Promise<A>
  /**
   * Runs an effect in the transaction that the host's client is in, whose commit sends the signals that were raised, with `notifies`.
   * Without a client it does what `run` does.
   */
  readonly runIn: <A, E>(
    client: HostClient | undefined,
    effect: Effect.Effect<A, E, R>,
    notifies?: boolean
  ) => Promise<A>
  /** Runs an effect that may take for ever, and fails as `closed` once `close` is called. */
  readonly whileOpen: <A, E, R2>(effect: Effect.Effect<A, E, R2>) => Effect.Effect<A, E | EmbedError, R2>
  /** Starts the background work, which goes on until `close`, once: later calls return the promise of the first. */
  readonly start: () => Promise<void>
  readonly close: () => Promise<void>
}

interface Opened<R> {
  readonly context: Promise<Context.Context<R>>
  readonly dispose: () => Promise<void>
  /** The check of the tables, which the first call outside of the host's transactions makes for all later ones. */
  checked: Promise<void> | undefined
}

/**
 * Runs effects over the layer, which is built for the first of them; where that fails, for the next. `start` starts `background`.
 */
export const makeEmbeddedRuntime = <R, E, E2>(options: {
  readonly layer: Layer.Layer<R, E>
  readonly background: Effect.Effect<void, E2, NoInfer<R> | Scope.Scope>
  readonly translate: Translate
  readonly installation: Installation | undefined
  /** The domains whose tables must be there. */
  readonly domains: Domains
}): EmbeddedRuntime<R> => {
  const { domains, installation } = options
  const schema = installation?.schema
  let opened: Opened<R> | undefined
  let started: Promise<void> | undefined
  let closing: Promise<void> | undefined
  const scope = Scope.makeUnsafe()
  const closed = new EmbedError("closed", "This was closed: nothing can be asked of it any more")
  const isClosing = Deferred.makeUnsafe<never, EmbedError>()

  /** Refuses a schema whose tables are not those of this release, before anything is read from it or written to it. */
  const checkSchema = async (context: Context.Context<R>): Promise<void> => {
    if (installation === undefined) return
    // The cast hides the layer's database client, as the one in `runIn` does.
    const exit = await Effect.runPromiseExitWith(context as Context.Context<R | SqlClient.SqlClient>)(
      requireInstalled(domains)
    )
    if (Exit.isFailure(exit)) throw thrownBy(exit.cause, translateSchema(installation.schema), schema)
  }

  /** Disposes of a layer that cannot be used, so that the next call tries again. */
  const discard = async (mine: Opened<R>, error: unknown): Promise<never> => {
    if (opened === mine) opened = undefined
    await mine.dispose()
    throw isSqlError(error) ? databaseError(error, schema) : error
  }

  /** The layer, which is built unless it is built already. */
  const open = (): Opened<R> => {
    if (closing !== undefined) throw closed
    if (opened === undefined) {
      const runtime = ManagedRuntime.make(options.layer)
      const mine: Opened<R> = {
        context: runtime.context().catch((error) => discard(mine, error)),
        dispose: () => runtime.dispose(),
        checked: undefined
      }
      opened = mine
    }
    return opened
  }

  /** The context of the layer, once its tables were checked. */
  const ready = async (): Promise<Context.Context<R>> => {
    const mine = open()
    const context = await mine.context
    mine.checked ??= checkSchema(context)
    await mine.checked.catch((error) => discard(mine, error))
    return context
  }

  const run = async <A, E3>(effect: Effect.Effect<A, E3, R>): Promise<A> => {
    const exit = await Effect.runPromiseExitWith(await ready())(effect)
    if (Exit.isSuccess(exit)) return exit.value
    throw thrownBy(exit.cause, options.translate, schema)
  }

  const runIn: EmbeddedRuntime<R>["runIn"] = async (client, effect, notifies = false) => {
    if (client === undefined) return run(effect)
    requireClient(client, installation)
    // The cast hides that a guest needs the layer's database client: every layer but those in memory provides it, and
    // `requireClient` refuses these.
    const guest = asGuest(client, { notifies }, effect) as Effect.Effect<
      Effect.Success<typeof effect>,
      Effect.Error<typeof effect>,
      R
    >
    // Asks the pool for nothing: the host's transactions may hold all of its connections, and wait for this call.
    const exit = await Effect.runPromiseExitWith(await open().context)(guest)
    if (Exit.isSuccess(exit)) return exit.value
    const error = Cause.squash(exit.cause)
    throw isSqlError(error) ? clientError(error, schema) : thrownBy(exit.cause, options.translate, schema)
  }

  return {
    run,
    runIn,
    whileOpen: (effect) => Effect.raceFirst(effect, Deferred.await(isClosing)),
    start: () => {
      // The cast takes the scope, which is provided, out of the type.
      started ??= run(Scope.provide(options.background, scope) as Effect.Effect<void, E2, R>).catch((error) => {
        started = undefined
        throw error
      })
      return started
    },
    close: () => {
      closing ??= (async () => {
        Deferred.doneUnsafe(isClosing, Exit.fail(closed))
        await started?.catch(() => undefined)
        await Effect.runPromise(Scope.close(scope, Exit.void))
        await opened?.dispose()
      })()
      return closing
    }
  }
}
