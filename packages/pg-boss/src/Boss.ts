import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type Db, PgBoss } from "pg-boss"
import { optionsOf, type PgBossConnection } from "./connection.ts"

/**
 * pg-boss for what is not asked of each job (see `jobStatements`): its statements run on the client of the house, in the caller's
 * transaction if one is open. What it asks for itself, the settings of the queues when it starts and once a minute, goes over the one
 * connection of its own. That must not come out of the house's pool: there, as many transactions as the pool has
 * connections would each wait for a connection that only another of them could give back.
 */
export class Boss extends Context.Service<
  Boss,
  {
    /**
     * Does something with pg-boss. What is given `db` runs on the client of the house. A failure is a defect. Not
     * interruptible: a transaction that ended before its statement did would lose its connection.
     */
    readonly use: <A>(act: (boss: PgBoss, options: { readonly db: Db }) => Promise<A>) => Effect.Effect<A>
  }
>()("@agent-platform/pg-boss/Boss") {
  static readonly layer = (connection: PgBossConnection): Layer.Layer<Boss, never, SqlClient.SqlClient> =>
    Layer.effect(
      Boss,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const databaseOf = (context: Context.Context<never>): Db => {
          const run = Effect.runPromiseWith(context)
          return {
            executeSql: (text, values) => run(Effect.map(sql.unsafe(text, values), (rows) => ({ rows: [...rows] })))
          }
        }
        const context = yield* Effect.context<never>()
        const logError = (error: Error) =>
          Effect.runForkWith(context)(Effect.logWarning("pg-boss reports an error", error))
        const boss = yield* Effect.acquireRelease(
          Effect.sync(() => {
            const made = new PgBoss({
              ...optionsOf(connection, "queue"),
              migrate: false,
              supervise: false,
              schedule: false
            })
            made.on("error", logError)
            return made
          }),
          (made) => Effect.ignore(Effect.tryPromise(() => made.stop({ graceful: false })))
        )
        return Boss.of({
          use: (act) =>
            Effect.flatMap(Effect.context<never>(), (caller) =>
              // Started by its first use, and again by the next if that failed: the database may come later than we do.
              Effect.uninterruptible(Effect.promise(async () => act(await boss.start(), { db: databaseOf(caller) })))
            )
        })
      })
    )
}
