/** Transactions whose statements are sent without waiting for each other. */
import type { PgClient, PgConnection, PgPool } from "@effect/sql-pg"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"
import { guestOr } from "./host/Guest.ts"
import { PipelinedConnection } from "./PipelinedConnection.ts"
import { type Follow, SessionConnection, UNPREPARED } from "./SessionConnection.ts"

type Client = SqlClient.SqlClient

/** The connection of the transaction that the fiber is in, if it is one that pipelines. */
const current = (context: Context.Context<never>, sql: Client): PipelinedConnection | undefined => {
  const connection = Context.getOrUndefined(context, sql.transactionService)?.[0]
  return connection instanceof PipelinedConnection ? connection : undefined
}

/** A pipelined connection over a host's session, which is never cancelled or closed. */
const asGuestOfHost = (session: PgConnection.PgConnection) =>
  new PipelinedConnection(session, { cancel: Effect.void, close: Effect.void })

const savepoint = (id: number) => `effect_sql_${id}`

/**
 * Gives a client pipelined transactions over the connections of `pool`, each for one transaction at a time, and lets it listen
 * over one of them. `pool` must be multiplexed, since only its connections pipeline, with a concurrency of 1, which lends each to one
 * borrower at a time. BEGIN is sent with the first statement, a `posted` write with the next one that is awaited. A nested transaction
 * waits for its own statements before it ends, so that none of them fails a later one. An interruption cancels the current statement
 * and closes the connection.
 */
export const withPipelinedTransactions = (client: PgClient.PgClient, pool: PgPool.PgPool): PgClient.PgClient => {
  /** Runs an effect outside of the transaction that the fiber is in. */
  const outside = Effect.updateContext(Context.omit(client.transactionService)) as <A, E>(
    effect: Effect.Effect<A, E>
  ) => Effect.Effect<A, E>

  const lend = (connection: PgConnection.PgConnection) => {
    const cancel = outside(Effect.ignore(client`select pg_cancel_backend(${connection.processId})`))
    return new PipelinedConnection(connection, { cancel, close: pool.invalidate(connection) })
  }

  const transaction = SqlClient.makeWithTransaction({
    transactionService: client.transactionService as unknown as Context.Key<
      SqlClient.TransactionConnection,
      readonly [PipelinedConnection, number]
    >,
    spanAttributes: [],
    acquireConnection: (restore) => guestOr(Effect.map(restore(pool.get), lend), asGuestOfHost),
    // Not prepared: a prepared BEGIN that the server has forgotten would be repeated after the statements that it should precede.
    begin: (connection, statement) => connection.post(statement ?? "BEGIN", [], UNPREPARED),
    savepoint: (connection, id) => connection.savepoint(savepoint(id)),
    releaseSavepoint: (connection, id) =>
      Effect.asVoid(connection.executeRaw(`RELEASE SAVEPOINT ${savepoint(id)}`, [])),
    commit: (connection) => connection.commit(),
    rollback: (connection) => connection.rollback,
    rollbackSavepoint: (connection, id) => connection.rollbackTo(savepoint(id))
  })

  const settled = Effect.flatMap(Effect.context<never>(), (context) => current(context, client)?.settled ?? Effect.void)
  const withTransaction: Client["withTransaction"] = (effect) => transaction(Effect.tap(effect, settled))
  return Object.assign(client, {
    withTransaction,
    reserve: Effect.map(pool.get, lend),
    listen: (channel: string) => Effect.flatMap(pool.get, (session) => session.listen(channel))
  })
}

/**
 * Runs a statement over a connection of its own, so that a slow one does not hold up those behind it. It is no transaction: a
 * write is committed even if its caller is interrupted. Inside a transaction it is a statement of that.
 */
export const askAlone = <Row extends object>(
  sql: Client,
  statement: Statement<Row>
): Effect.Effect<ReadonlyArray<Row>, SqlError> =>
  Effect.withFiber((fiber) => {
    if (Context.getOrUndefined(fiber.context, sql.transactionService) !== undefined) return statement
    const [text, values] = statement.compile()
    return Effect.scoped(Effect.flatMap(sql.reserve, (connection) => connection.execute(text, values, undefined)))
  })

/**
 * Adds a write to the open transaction without waiting for its answer, where the connection can pipeline. Later reads see it,
 * and the transaction commits only if it succeeded.
 */
export const posted = (sql: Client, statement: Statement<unknown>): Effect.Effect<void, SqlError> =>
  Effect.flatMap(Effect.context<never>(), (context) => {
    const connection = current(context, sql)
    return connection === undefined ? Effect.asVoid(statement) : connection.post(...statement.compile())
  })

/**
 * Hands something in for a statement behind the COMMIT of the open transaction: `follow` is called once, with all that was
 * handed in for it. Where COMMIT itself is refused, the statement is sent all the same. Over a client that cannot do so it is sent after
 * the commit, and outside of a transaction at once.
 */
export const followCommit = (sql: Client, follow: Follow, item: string): Effect.Effect<void> =>
  Effect.flatMap(Effect.context<never>(), (context) => {
    const connection = Context.getOrUndefined(context, sql.transactionService)?.[0]
    const isHandedIn = connection instanceof SessionConnection && connection.follow(follow, item)
    return isHandedIn ? Effect.void : sql.afterCommit(follow([item], (statement) => statement))
  })
