import type { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

/**
 * Runs reads in a transaction, where an interruption ends the statement. Outside of one it goes on at the server, and holds up
 * those behind it on its connection.
 */
export const cancellable = <A, E, R>(
  reads: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError, R | SqlClient.SqlClient> =>
  SqlClient.SqlClient.use((sql) => sql.withTransaction(reads))
