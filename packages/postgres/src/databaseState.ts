import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { isReadOnlyFailure } from "./hosts.ts"
import { type SchemaState, schemaState } from "./Migrations.ts"

/** A `SchemaState`, or `read_only` for a database that takes no writes. */
export type DatabaseState = SchemaState | "read_only"

const isReadOnly = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly is_read_only: boolean }>`
    select current_setting('transaction_read_only')::boolean as is_read_only
  `
  return row?.is_read_only === true
})

/**
 * Asks the database once; never fails. `read_only` means a standby, a database whose transactions are read-only by default, or a URL
 * that asks for a writable host where only read-only ones can be reached.
 */
export const databaseState: Effect.Effect<DatabaseState, never, SqlClient.SqlClient> = isReadOnly.pipe(
  Effect.flatMap((answer) => (answer ? Effect.succeed<DatabaseState>("read_only") : schemaState)),
  Effect.catch((error) => Effect.succeed<DatabaseState>(isReadOnlyFailure(error) ? "read_only" : "unreachable")),
  Effect.catchCause(() => Effect.succeed<DatabaseState>("unreachable"))
)
