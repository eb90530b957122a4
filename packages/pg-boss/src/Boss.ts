import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { PgBoss } from "pg-boss"
import type { BossCalls, BossDatabase } from "./BossCalls.ts"
import { optionsOf, type PgBossConnection } from "./connection.ts"
import { MAINTENANCE_SECONDS, MONITOR_SECONDS } from "./queues.ts"

export interface BossDuties {
  /** Whether this process retries jobs whose holder is gone, and deletes finished jobs. Any number of processes may. */
  readonly supervises?: boolean | undefined
  /** Whether it enqueues the jobs that are due by the clock. Any number of processes may. */
  readonly schedules?: boolean | undefined
}

/**
 * The one instance of pg-boss in a process. Its own statements go over a small pool of its own. They must not use our pool: as many
 * transactions as it has connections would then wait for another connection each, which none of them can give back.
 */
export class Boss extends Context.Service<
  Boss,
  {
    /**
     * Calls pg-boss. A call with the option `db` runs on our client, in the caller's transaction if one is open. A failure is a
     * defect. Not interruptible: a transaction that ended before its statement did would lose its connection.
     */
    readonly use: <A>(act: (boss: BossCalls, options: { readonly db: BossDatabase }) => Promise<A>) => Effect.Effect<A>
  }
>()("@agent-platform/pg-boss/Boss") {
  static readonly layer = (
    connection: PgBossConnection,
    { schedules = false, supervises = false }: BossDuties = {}
  ): Layer.Layer<Boss, never, SqlClient.SqlClient> =>
    Layer.effect(
      Boss,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const databaseOf = (context: Context.Context<never>): BossDatabase => {
          const run = Effect.runPromiseWith(context)
          return {
            executeSql: (text, values) => run(Effect.map(sql.unsafe(text, values), (rows) => ({ rows: [...rows] })))
          }
        }
        const log = Effect.runForkWith(yield* Effect.context<never>())
        const boss = yield* Effect.acquireRelease(
          Effect.map(optionsOf(connection), (options) => {
            const made = new PgBoss({
              ...options,
              migrate: false,
              createSchema: false,
              supervise: supervises,
              superviseIntervalSeconds: MONITOR_SECONDS,
              monitorIntervalSeconds: MONITOR_SECONDS,
              maintenanceIntervalSeconds: MAINTENANCE_SECONDS,
              schedule: schedules
            })
            made.on("error", (error) => log(Effect.logWarning("pg-boss reports an error", error)))
            made.on("warning", ({ data, message }) => log(Effect.logWarning(message, data)))
            return made
          }),
          (made) => Effect.ignore(Effect.tryPromise(() => made.stop({ graceful: false })))
        )
        return Boss.of({
          use: (act) =>
            Effect.flatMap(Effect.context<never>(), (caller) =>
              // Started by the first use, and tried again by the next if that failed: the database may come up later than this process.
              Effect.uninterruptible(Effect.promise(async () => act(await boss.start(), { db: databaseOf(caller) })))
            )
        })
      })
    )
}
