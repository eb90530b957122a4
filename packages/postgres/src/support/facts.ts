import type { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Row } from "../table.ts"
import { cancellable } from "./cancellable.ts"

/** Rows that have only numbers, times, and names that Postgres or we have given. */
export type SupportFacts = Effect.Effect<ReadonlyArray<Row>, SqlError, SqlClient.SqlClient>

/** Facts that one statement reads. */
export const facts = (statement: TemplateStringsArray, ...values: ReadonlyArray<unknown>): SupportFacts =>
  cancellable(SqlClient.SqlClient.use((sql) => sql<Row>(statement, ...values)))
