import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

/** A step made of these statements, in order. The client takes one statement at a time. */
export const statements = (texts: ReadonlyArray<string>): Effect.Effect<void, SqlError, SqlClient.SqlClient> =>
  SqlClient.SqlClient.use((sql) => Effect.forEach(texts, (text) => sql.unsafe(text), { discard: true }))
