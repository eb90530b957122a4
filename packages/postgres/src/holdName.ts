import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { mapRows } from "./mapRows.ts"

/** Holds a name until the transaction ends: others who ask for it wait. No row is locked, for which every reference to it would wait. */
export const holdName = (sql: SqlClient.SqlClient, name: string): Effect.Effect<void> =>
  sql`select pg_advisory_xact_lock(hashtextextended('agent_platform.' || ${name}, 0))`.pipe(mapRows(() => undefined))

/** Holds a name, and then counts up to `max` rows of a table: those that are meant, as in `agent_platform.agent where …`. */
export const holdAndCount = (
  sql: SqlClient.SqlClient,
  name: string,
  meant: Statement.Fragment,
  max: number
): Effect.Effect<number> =>
  Effect.andThen(
    holdName(sql, name),
    sql<{ readonly count: number }>`
      select count(*)::int as count from (select from ${meant} limit ${max}) as meant
    `.pipe(mapRows(([row]) => row?.count ?? 0))
  )
