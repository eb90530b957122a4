import { Effect } from "effect"
import type { SqlError } from "effect/sql"

/** Maps the rows of a statement. A database that fails is a defect, as rule 6 of docs/architecture.md has it. */
export const mapRows =
  <Rows, A>(toAnswer: (rows: Rows) => A) =>
  <R>(statement: Effect.Effect<Rows, SqlError.SqlError, R>): Effect.Effect<A, never, R> =>
    Effect.map(Effect.orDie(statement), toAnswer)
