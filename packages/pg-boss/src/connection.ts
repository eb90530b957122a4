import { Redacted } from "effect"
import type { ConstructorOptions } from "pg-boss"

/** Where pg-boss keeps its tables, unless it is set otherwise. */
export const SCHEMA = "pgboss"

/** A connection of pg-boss's own: it sends several statements in one string, which Effect's client does not. */
export interface PgBossConnection {
  readonly url: Redacted.Redacted
  /** The schema of pg-boss's tables; `pgboss` if undefined. */
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
  { schema = SCHEMA, url }: PgBossConnection,
  statementSeconds: number = STATEMENT_SECONDS
): ConstructorOptions => {
  const timeouts = `
    set statement_timeout = '${statementSeconds}s'; set lock_timeout = '${WAIT_SECONDS}s';
    set idle_in_transaction_session_timeout = '${WAIT_SECONDS}s'
  `
  const pool = { onConnect: (session: { query: (text: string) => Promise<unknown> }) => session.query(timeouts) }
  return {
    ...pool,
    connectionString: Redacted.value(url),
    application_name: "agent-platform-queue",
    schema,
    max: 2
  }
}
