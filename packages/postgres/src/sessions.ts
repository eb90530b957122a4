/** Sessions of Postgres that have timeouts, and a client over them. */
import { DatabaseSchema } from "@agent-platform/toolkit"
import { PgClient, type PgConnection, PgPool } from "@effect/sql-pg"
import { Effect, type Scope } from "effect"
import { SqlClient, type SqlConnection, Statement } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { compilerIn } from "./inSchema.ts"
import { rolledBack } from "./PipelinedConnection.ts"
import { SessionConnection } from "./SessionConnection.ts"
import type { Timeouts } from "./timeouts.ts"

const SET_TIMEOUTS = `
  select set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false),
    set_config('idle_in_transaction_session_timeout', $3, false)
`

/**
 * A pool whose sessions have these timeouts before they are lent. They are set by a statement: poolers refuse connections
 * that ask for them at their start.
 */
export const makeSessions = (
  config: PgPool.Config,
  { idleInTransaction, lock, statement }: Timeouts
): Effect.Effect<PgPool.PgPool, SqlError, Scope.Scope> =>
  Effect.map(PgPool.make(config), (pool) => {
    const ready = new WeakSet<PgConnection.PgConnection>()
    const values = [statement, lock, idleInTransaction].map((seconds) => `${seconds}s`)
    const makeReady = (session: PgConnection.PgConnection) =>
      Effect.map(session.query(SET_TIMEOUTS, values, false), () => {
        ready.add(session)
        return session
      })
    const get = Effect.flatMap(pool.get, (session) =>
      ready.has(session) ? Effect.succeed(session) : makeReady(session)
    )
    return {
      ...pool,
      get,
      reserve: Effect.flatMap(get, (session) => session.pin),
      use: (act) => pool.use((session) => (ready.has(session) ? act(session) : Effect.flatMap(makeReady(session), act)))
    }
  })

const connectionOf = (session: PgConnection.PgConnection): SqlConnection.Connection => new SessionConnection(session)

/** COMMIT of a transaction that has failed is answered by ROLLBACK. */
const commit = (connection: SqlConnection.Connection) =>
  Effect.flatMap(connection.executeRaw("COMMIT", []) as Effect.Effect<PgConnection.Result, SqlError>, ({ command }) =>
    command === "ROLLBACK" ? Effect.fail(rolledBack()) : Effect.void
  )

/** A client over a pool. `PgClient.make` makes the same over a pool of its own, and has no hook for its sessions. */
export const makeClient = Effect.fnUntraced(function* (pool: PgPool.PgPool) {
  const schema = yield* DatabaseSchema
  const client = yield* SqlClient.make({
    driver: "pg",
    acquirer: Effect.map(pool.get, connectionOf),
    borrower: (use) => pool.use((session) => use(connectionOf(session))),
    transactionAcquirer: Effect.map(pool.reserve, connectionOf),
    compiler: compilerIn(schema, PgClient.makeCompiler()),
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "postgresql"]]
  })
  const made: PgClient.PgClient = Object.assign(client, {
    [PgClient.TypeId]: PgClient.TypeId,
    config: pool.config,
    json: (value: unknown) => Statement.fragment([Statement.custom<PgClient.PgCustom>("PgJson")(value)]),
    listen: (channel: string) => Effect.flatMap(pool.reserve, (session) => session.listen(channel)),
    notify: (channel: string, payload: string) => Effect.asVoid(client`select pg_notify(${channel}, ${payload})`)
  })
  return made
})
