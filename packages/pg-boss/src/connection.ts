import { DatabaseSchema, DEFAULT_SCHEMA, nameOfHost, parseDatabaseUrl } from "@agent-platform/toolkit"
import { Effect, Redacted, Result } from "effect"
import type pg from "pg"
import { configFor, makeHostClient, requireFit } from "./HostClient.ts"

/** Where pg-boss keeps its tables beside ours in the schema of the default name. */
export const SCHEMA = "pgboss"

/** The schema of pg-boss in this process: each schema of ours has a pg-boss of its own. */
export const queueSchema: Effect.Effect<string> = Effect.map(DatabaseSchema, (schema) =>
  schema === DEFAULT_SCHEMA ? SCHEMA : `${schema}_${SCHEMA}`
)

/** A connection of pg-boss's own: it sends several statements in one string, which Effect's client does not. */
export interface PgBossConnection {
  readonly url: Redacted.Redacted
  /** The schema of pg-boss's tables; `queueSchema` if undefined. */
  readonly schema?: string | undefined
}

/** As pg-boss sets them in its own transactions. */
const WAIT_SECONDS = 30

/** Its monitor goes over its whole tables. */
const STATEMENT_SECONDS = 300

/** pg-boss's own default. The pool's time for a new connection, which is that of all hosts together. */
const CONNECT_SECONDS_MIN = 10

/** The options of an instance that its own types know. */
export interface BossOptions {
  readonly application_name: string
  readonly schema: string
  readonly max: number
}

/**
 * The options of every instance of pg-boss; `statementSeconds` is 0 for statements that take as long as they take. The
 * timeouts are set by a statement: poolers refuse connections that ask for them at their start. pg-boss hands `onConnect`
 * and `Client` through to its pool.
 */
export const optionsOf = (
  { schema, url: given }: PgBossConnection,
  statementSeconds: number = STATEMENT_SECONDS
): Effect.Effect<BossOptions> =>
  Effect.gen(function* () {
    const ofProcess = yield* queueSchema
    const url = Result.getOrThrowWith(
      parseDatabaseUrl(Redacted.value(given)),
      (detail) => new Error(`The URL of the database ${detail}`)
    )
    const timeouts = `
      set statement_timeout = '${statementSeconds}s'; set lock_timeout = '${WAIT_SECONDS}s';
      set idle_in_transaction_session_timeout = '${WAIT_SECONDS}s'
    `
    const [first] = url.hosts
    if (first === undefined) return yield* Effect.die(new Error("A URL has a host"))
    const pool = {
      ...configFor(url, first),
      ...(url.hosts.length > 1 ? { Client: makeHostClient(url) } : {}),
      connectionTimeoutMillis: Math.max(CONNECT_SECONDS_MIN, url.connectSeconds * (url.hosts.length + 1)) * 1_000,
      onConnect: async (session: pg.Client) => {
        // Again, as the server may have changed since the host was found.
        await requireFit(url, nameOfHost({ host: session.host, port: session.port }), session)
        await session.query(timeouts)
      }
    }
    return {
      // More than its types know: it hands all of it to its pool.
      ...(pool as object),
      application_name: url.applicationName ?? "agent-platform-queue",
      schema: schema ?? ofProcess,
      max: 2
    }
  })
