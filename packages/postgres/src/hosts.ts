/** Sessions on the hosts of a database's URL: how each is connected to, and which one new sessions go to. */
import { readFileSync } from "node:fs"
import {
  ASK_FITNESS,
  type DatabaseHost,
  type DatabaseUrl,
  type Fitness,
  nameOfHost,
  parseDatabaseUrl,
  tlsOptionsOf,
  unfitness
} from "@agent-platform/toolkit"
import type { PgConnection, PgPool } from "@effect/sql-pg"
import { Cause, Effect, Exit, Predicate, Redacted, Result, Scope } from "effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { UNPREPARED } from "./SessionConnection.ts"

/** The parts of the URL. A malformed one is a defect here, because settings refuse it before anything connects. */
export const urlIn = (url: Redacted.Redacted): Effect.Effect<DatabaseUrl> =>
  Effect.suspend(() =>
    Result.match(parseDatabaseUrl(Redacted.value(url)), {
      onSuccess: Effect.succeed,
      onFailure: (detail) => Effect.die(new Error(`The URL of the database ${detail}`))
    })
  )

const readText = (path: string): string => readFileSync(path, "utf8")

/** The options for connecting to a host of the URL. Certificates are read now; a missing one is a defect. */
export const configFor = (url: DatabaseUrl, { host, port }: DatabaseHost): PgConnection.Config => ({
  host,
  port,
  username: url.user,
  password: url.password === undefined ? undefined : Redacted.make(url.password),
  database: url.database,
  ssl: tlsOptionsOf(url.tls, host, readText),
  connectTimeout: `${url.connectSeconds} seconds`,
  startupOptions: url.options,
  ...(url.applicationName === undefined ? {} : { applicationName: url.applicationName })
})

/** A server that was reached and is not what `target_session_attrs` asks for. */
export class HostUnfit extends Error {
  readonly fitness: Fitness
  constructor(message: string, fitness: Fitness) {
    super(message)
    this.fitness = fitness
  }
}

/** None of several hosts could be used; `errors` has the reason of each. */
export class NoHost extends Error {
  readonly errors: ReadonlyArray<unknown>
  constructor(message: string, errors: ReadonlyArray<unknown>) {
    super(message)
    this.errors = errors
  }
}

const failedBy = (cause: Error): SqlError =>
  new SqlError({ reason: new ConnectionError({ cause, message: cause.message, operation: "connect" }) })

/** Fails where the server of the session is not what the URL asks for. */
export const requireFit = (
  { sessionAttributes }: DatabaseUrl,
  host: DatabaseHost,
  session: PgConnection.PgConnection
): Effect.Effect<void, SqlError> =>
  sessionAttributes === "any"
    ? Effect.void
    : Effect.flatMap(session.query(ASK_FITNESS, [], UNPREPARED), ({ rows }) => {
        const fitness = rows[0] as unknown as Fitness
        const why = unfitness(sessionAttributes, fitness)
        return why === undefined
          ? Effect.void
          : Effect.fail(failedBy(new HostUnfit(`${nameOfHost(host)} ${why}`, fitness)))
      })

/** The innermost error of a failure to connect. */
const innermost = (error: unknown): unknown =>
  Predicate.hasProperty(error, "cause") && error.cause !== undefined ? innermost(error.cause) : error

/** Whether connecting failed because a server is a standby and the URL asks for another. */
export const isOfStandby = (error: SqlError): boolean => {
  const cause = innermost(error)
  return cause instanceof HostUnfit && cause.fitness.is_standby
}

/** Whether connecting failed because a server is not what the URL asks for. */
export const isUnfit = (error: SqlError): boolean => innermost(error) instanceof HostUnfit

/** The reason of a failure to connect, for people. */
export const reasonOf = (error: SqlError): string => {
  const cause = innermost(error)
  return cause instanceof Error && cause.message !== "" ? cause.message : String(cause)
}

const sentenceOf = (host: DatabaseHost, cause: unknown): string => {
  if (cause instanceof HostUnfit) return cause.message
  return `${nameOfHost(host)}: ${cause instanceof Error && cause.message !== "" ? cause.message : String(cause)}`
}

/** Whether connecting failed because of a server that takes no writes. */
export const isReadOnlyFailure = (error: unknown): boolean => {
  const cause = innermost(error)
  const errors = cause instanceof NoHost ? cause.errors : [cause]
  return errors.some((one) => one instanceof HostUnfit && one.fitness.is_read_only)
}

/** The SQLSTATE read_only_sql_transaction. */
const READ_ONLY = "25006"

/** Whether something failed because a server refused a write, the whole transaction or one statement. */
export const isRefusedWrite = ({ reasons }: Cause.Cause<unknown>): boolean =>
  reasons.some((reason) => {
    // Stores turn failures of the database into defects.
    const inner = innermost(
      Cause.isFailReason(reason) ? reason.error : Cause.isDieReason(reason) ? reason.defect : reason
    )
    return Predicate.hasProperty(inner, "code") && inner.code === READ_ONLY
  })

/** Lends a session until the scope is closed. */
type Loan = PgPool.PgPool["get"]

/** A pool, and the host that all of its sessions are on. */
export interface PoolOnHost {
  readonly host: DatabaseHost
  readonly pool: PgPool.PgPool
}

/**
 * One pool over those of several hosts. Sessions are lent from the pool of the host that lent the last one; where that lends
 * none, because its server is gone or is a standby now, the others are tried in the order of the URL, each once.
 */
export const poolOverHosts = (pools: readonly [PoolOnHost, ...ReadonlyArray<PoolOnHost>]): PgPool.PgPool => {
  const owners = new WeakMap<PgConnection.PgConnection, PgPool.PgPool>()
  const [first] = pools
  let current: PoolOnHost = first

  /** Lends a session of the first of these hosts that lends one. */
  const lendFromFirst = (
    untried: ReadonlyArray<PoolOnHost>,
    failures: ReadonlyArray<readonly [DatabaseHost, unknown]>,
    lendFrom: (one: PoolOnHost) => Loan
  ): Loan => {
    const [one, ...others] = untried
    if (one === undefined) {
      const said = failures.map(([host, error]) => sentenceOf(host, error)).join("; ")
      return Effect.fail(
        failedBy(
          new NoHost(
            `No host can be used: ${said}`,
            failures.map(([, error]) => error)
          )
        )
      )
    }
    return Effect.catch(lendFrom(one), (error) =>
      lendFromFirst(others, [...failures, [one.host, innermost(error)]], lendFrom)
    )
  }

  const order = () => [current, ...pools.filter((one) => one !== current)]
  const taken = (one: PoolOnHost, session: PgConnection.PgConnection) => {
    current = one
    owners.set(session, one.pool)
    return session
  }

  // A failed attempt closes its own scope at once: that of its caller, such as a listener, may last for days.
  const attempt = (loan: Loan): Loan =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(
        Effect.flatMap(Effect.scope, (scope) => Scope.fork(scope)),
        (scope) =>
          restore(Scope.provide(loan, scope)).pipe(
            Effect.tapCause((cause) => Scope.close(scope, Exit.failCause(cause)))
          )
      )
    )

  const lend = (loanOf: (pool: PgPool.PgPool) => Loan): Loan =>
    Effect.suspend(() =>
      lendFromFirst(order(), [], (one) => Effect.map(attempt(loanOf(one.pool)), (session) => taken(one, session)))
    )

  const get = lend((pool) => pool.get)
  return {
    ...first.pool,
    get,
    reserve: lend(({ reserve }) => reserve),
    use: (act) => Effect.scoped(Effect.flatMap(get, act)),
    invalidate: (session) => owners.get(session)?.invalidate(session) ?? Effect.void
  }
}
