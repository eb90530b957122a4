import { DatabaseSchema, DEFAULT_SCHEMA } from "@agent-platform/toolkit"
import { Effect, Redacted } from "effect"
import type { ConstructorOptions } from "pg-boss"

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

/**
 * The options of every instance of pg-boss; `statementSeconds` is 0 for statements that take as long as they take. The
 * timeouts are set by a statement: poolers refuse connections that ask for them at their start. pg-boss hands `onConnect`
 * through to its pool.
 */
export const optionsOf = (
  { schema, url }: PgBossConnection,
  statementSeconds: number = STATEMENT_SECONDS
): Effect.Effect<ConstructorOptions> => {
  const timeouts = `
    set statement_timeout = '${statementSeconds}s'; set lock_timeout = '${WAIT_SECONDS}s';
    set idle_in_transaction_session_timeout = '${WAIT_SECONDS}s'
  `
  const pool = { onConnect: (session: { query: (text: string) => Promise<unknown> }) => session.query(timeouts) }
  return Effect.map(queueSchema, (ofProcess) => ({
    ...pool,
    connectionString: Redacted.value(url),
    application_name: "agent-platform-queue",
    schema: schema ?? ofProcess,
    max: 2
  }))
}
