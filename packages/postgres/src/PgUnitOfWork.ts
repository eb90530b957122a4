import { Transaction, UnitOfWork } from "@agent-platform/kernel"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { isSqlError } from "effect/sql/SqlError"

/**
 * The unit of work over Postgres: one connection and one transaction at READ COMMITTED, savepoints when nested, ROLLBACK on
 * failure, defect and interruption alike. Refusals by the database are defects, deadlocks (40P01) and serialization
 * failures (40001) included: the effect may have acted outside of the database, so running it again is not ours to decide.
 */
export const layer: Layer.Layer<UnitOfWork, never, SqlClient.SqlClient> = Layer.effect(
  UnitOfWork,
  Effect.map(SqlClient.SqlClient, (sql) =>
    UnitOfWork.of({
      atomic: <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        sql
          .withTransaction(Effect.provideService(effect, Transaction, { id: "postgres" }))
          .pipe(Effect.catch((error) => (isSqlError(error) ? Effect.die(error) : Effect.fail(error))))
    })
  )
)
