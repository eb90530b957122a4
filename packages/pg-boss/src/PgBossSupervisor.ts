import { type Signals, Transaction } from "@agent-platform/kernel"
import { Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { PgBoss } from "pg-boss"
import { optionsOf, type PgBossConnection } from "./connection.ts"
import { SWEEP_SECONDS } from "./queues.ts"
import { sweep } from "./sweep.ts"

const sweeping = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const once = sql.withTransaction(Effect.provideService(sweep, Transaction, { id: "pg-boss" }))
  yield* once.pipe(
    Effect.catchCause((cause) => Effect.logWarning("Lost jobs could not be looked for", cause)),
    Effect.andThen(Effect.sleep(`${SWEEP_SECONDS} seconds`)),
    Effect.forever
  )
})

/** pg-boss's own care for its tables: old rows, bloated indexes, warnings; once a minute among all supervisors. */
const maintaining = (connection: PgBossConnection) =>
  Effect.gen(function* () {
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const boss = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const made = new PgBoss({
          ...optionsOf(connection, "supervisor"),
          migrate: false,
          schedule: false
        })
        made.on("error", (error) => run(Effect.logWarning("pg-boss reports an error", error)))
        made.on("warning", ({ data, message }) => run(Effect.logWarning(message, data)))
        return made
      }),
      (made) => Effect.ignore(Effect.tryPromise(() => made.stop({ graceful: false })))
    )
    yield* Effect.tryPromise(() => boss.start()).pipe(
      Effect.tapError((error) => Effect.logWarning("pg-boss's supervisor could not be started", error)),
      Effect.retry(Schedule.spaced("5 seconds"))
    )
  })

/** Looks after the queue for as long as it lives. Every worker process should run one; any number get on together. */
export const layer = (connection: PgBossConnection): Layer.Layer<never, never, SqlClient.SqlClient | Signals> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      yield* Effect.forkScoped(sweeping)
      yield* Effect.forkScoped(maintaining(connection))
    })
  )
