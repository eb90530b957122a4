/** Sessions of Postgres that have timeouts, and a client over them. */
import { type DatabaseHost, DatabaseSchema, type DatabaseUrl } from "@agent-platform/toolkit"
import { PgClient, type PgConnection, PgPool } from "@effect/sql-pg"
import { type Cause, Effect, Exit, type Redacted, type Scope } from "effect"
import { SqlClient, type SqlConnection, Statement } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { guestOr } from "./host/Guest.ts"
import {
  configFor,
  isOfStandby,
  isRefusedWrite,
  isUnfit,
  type PoolOnHost,
  poolOverHosts,
  requireFit,
  urlIn
} from "./hosts.ts"
import { compilerIn } from "./inSchema.ts"
import { SessionConnection, UNPREPARED } from "./SessionConnection.ts"
import type { Timeouts } from "./timeouts.ts"

const SET_TIMEOUTS = `
  select set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false),
    set_config('idle_in_transaction_session_timeout', $3, false)
`

/** A pool of one host. Before a session is lent, its server is checked to be what the URL asks for, and its timeouts are set. */
const makePoolOnHost = (
  url: DatabaseUrl,
  host: DatabaseHost,
  config: PgPool.Config,
  { idleInTransaction, lock, statement }: Timeouts
): Effect.Effect<PoolOnHost, SqlError, Scope.Scope> =>
  Effect.map(PgPool.make({ ...config, ...configFor(url, host) }), (pool) => {
    let ready = new WeakSet<PgConnection.PgConnection>()
    const values = [statement, lock, idleInTransaction].map((seconds) => `${seconds}s`)
    const makeReady = (session: PgConnection.PgConnection) =>
      requireFit(url, host, session).pipe(
        // A session of a standby is kept: it survives a promotion, and until then asking it again is cheaper than opening another.
        // Any other unfit session is invalidated in a fiber of its own, because the pool waits until the caller gives it back.
        Effect.tapError((error) =>
          isUnfit(error) && !isOfStandby(error) ? Effect.forkDetach(pool.invalidate(session)) : Effect.void
        ),
        Effect.andThen(session.query(SET_TIMEOUTS, values, UNPREPARED)),
        Effect.map(() => {
          ready.add(session)
          return session
        })
      )
    // A server that refuses a write may be a standby by now, so every session is checked again before it is lent.
    const askAgain = (cause: Cause.Cause<unknown>) =>
      Effect.sync(() => {
        if (isRefusedWrite(cause)) ready = new WeakSet()
      })
    const noticing = <A, E, R>(act: Effect.Effect<A, E, R>) => Effect.tapCause(act, askAgain)
    const atRelease = Effect.addFinalizer((exit) => (Exit.isFailure(exit) ? askAgain(exit.cause) : Effect.void))
    const get = Effect.flatMap(pool.get, (session) =>
      Effect.andThen(atRelease, ready.has(session) ? Effect.succeed(session) : makeReady(session))
    )
    return {
      host,
      pool: {
        ...pool,
        get,
        reserve: Effect.flatMap(get, (session) => session.pin),
        use: (act) =>
          pool.use((session) => noticing(ready.has(session) ? act(session) : Effect.flatMap(makeReady(session), act)))
      }
    }
  })

/**
 * A pool over the hosts of a URL, whose sessions have these timeouts before they are lent. They are set by a statement: poolers
 * refuse connections that ask for them at their start.
 */
export const makeSessions = Effect.fnUntraced(function* (
  given: Redacted.Redacted,
  config: PgPool.Config,
  timeouts: Timeouts
): Effect.fn.Return<PgPool.PgPool, SqlError, Scope.Scope> {
  const url = yield* urlIn(given)
  const [first, ...others] = yield* Effect.forEach(url.hosts, (host) => makePoolOnHost(url, host, config, timeouts))
  if (first === undefined) return yield* Effect.die(new Error("A URL has a host"))
  return others.length === 0 ? first.pool : poolOverHosts([first, ...others])
})

const connectionOf = (session: PgConnection.PgConnection): SqlConnection.Connection => new SessionConnection(session)

/** A client over a pool. `PgClient.make` does the same over a pool of its own, but has no hook to prepare sessions. */
export const makeClient = Effect.fnUntraced(function* (pool: PgPool.PgPool) {
  const schema = yield* DatabaseSchema
  const client = yield* SqlClient.make({
    driver: "pg",
    acquirer: Effect.map(pool.get, connectionOf),
    borrower: (use) => pool.use((session) => use(connectionOf(session))),
    transactionAcquirer: guestOr(Effect.map(pool.reserve, connectionOf), connectionOf),
    compiler: compilerIn(schema, PgClient.makeCompiler()),
    prepareTransactionControls: true,
    // The type hides that all of its connections are made by `connectionOf`.
    commit: (connection) => (connection as SessionConnection).commit(),
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
