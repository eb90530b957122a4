import { DatabaseSchema, DEFAULT_SCHEMA, nameOfHost, parseDatabaseUrl } from "@agent-platform/toolkit"
import { Effect, Redacted, Result } from "effect"
import type pg from "pg"
import { configFor, makeHostClient, requireFit } from "./HostClient.ts"

/** The schema of pg-boss's tables where ours has its default name. */
export const SCHEMA = "pgboss"

/** The schema of pg-boss in this process: each schema of the platform has a pg-boss of its own. */
export const queueSchema: Effect.Effect<string> = Effect.map(DatabaseSchema, (schema) =>
  schema === DEFAULT_SCHEMA ? SCHEMA : `${schema}_${SCHEMA}`
)

/** The connection of pg-boss itself, which sends several statements in one string, as Effect's client does not. */
export interface PgBossConnection {
  readonly url: Redacted.Redacted
  /** The schema of pg-boss's tables; `queueSchema` if undefined. */
  readonly schema?: string | undefined
}

/** The timeouts for locks and idle transactions, as pg-boss sets them in its own transactions. */
const WAIT_SECONDS = 30

/** The timeout for a statement: pg-boss's monitor goes through its whole tables. */
const STATEMENT_SECONDS = 300

/** The least time for a new connection of the pool, which has to try all hosts in it. It is pg-boss's own default. */
const CONNECT_SECONDS_MIN = 10

/** The options of an instance that are in pg-boss's own types. */
export interface BossOptions {
  readonly application_name: string
  readonly schema: string
  readonly max: number
}

/**
 * The options of every instance of pg-boss; with `statementSeconds` 0 a statement has no timeout. The timeouts are set by a
 * statement, because poolers refuse connections that ask for them at their start. pg-boss passes `onConnect` and `Client` on to
 * its pool.
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
        // Checked again, because the server may have changed since the host was found.
        await requireFit(url, nameOfHost({ host: session.host, port: session.port }), session)
        await session.query(timeouts)
      }
    }
    return {
      // Options that are not in pg-boss's types: it passes all options on to its pool.
      ...(pool as object),
      application_name: url.applicationName ?? "agent-platform-queue",
      schema: schema ?? ofProcess,
      max: 2
    }
  })
