import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { mapRows } from "./mapRows.ts"

/** Locks a name until the transaction ends, against others that hold it. A lock on a row would hold up all references to the row, too. */
export const holdName = (sql: SqlClient.SqlClient, name: string): Effect.Effect<void> =>
  sql`select pg_advisory_xact_lock(hashtextextended('agent_platform.' || ${name}, 0))`.pipe(mapRows(() => undefined))

/** Holds a name, and then counts up to `max` rows of a table by a condition: `meant` is like `agent_platform.agent where …`. */
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
