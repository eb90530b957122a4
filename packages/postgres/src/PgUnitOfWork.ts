import { Transaction, UnitOfWork } from "@agent-platform/kernel"
import { Effect } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { layerSql } from "./layerSql.ts"

/**
 * The unit of work over Postgres: one connection and one transaction at READ COMMITTED, savepoints when nested, ROLLBACK on
 * failure, defect and interruption alike. Refusals by the database are defects, deadlocks (40P01) and serialization
 * failures (40001) included: the effect may have acted outside of the database, so running it again is not ours to decide.
 */
export const layer = layerSql(UnitOfWork)((sql) => ({
  atomic: <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    sql
      .withTransaction(Effect.provideService(effect, Transaction, { id: "postgres" }))
      .pipe(Effect.catch((error) => (isSqlError(error) ? Effect.die(error) : Effect.fail(error))))
}))
