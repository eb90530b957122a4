/** Transactions whose statements are sent without waiting for each other. */
import type { PgClient, PgConnection, PgPool } from "@effect/sql-pg"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"
import { PipelinedConnection } from "./PipelinedConnection.ts"

type Client = SqlClient.SqlClient

/** The connection of the transaction that the fiber is in, if it is one that pipelines. */
const current = (context: Context.Context<never>, sql: Client): PipelinedConnection | undefined => {
  const connection = Context.getOrUndefined(context, sql.transactionService)?.[0]
  return connection instanceof PipelinedConnection ? connection : undefined
}

const savepoint = (id: number) => `effect_sql_${id}`

/**
 * Gives a client transactions of their own kind, over the connections of `pool`, each for one transaction at a time. Only the
 * connections of a pool that is multiplexed pipeline; with a concurrency of 1 each is lent to one borrower at a time. BEGIN goes
 * out with the first statement, what is `posted` with whatever is awaited next, and a transaction inside another waits for its
 * own statements before it ends, so that it fails for them and for no others. An interruption cancels the statement that is
 * waited for and closes its connection.
 */
export const withPipelinedTransactions = (client: PgClient.PgClient, pool: PgPool.PgPool): PgClient.PgClient => {
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
    acquireConnection: (restore) => Effect.map(restore(pool.get), lend),
    // Not prepared: one that the server had forgotten would be repeated behind the statements that it should begin.
    begin: (connection, statement) => connection.post(statement ?? "BEGIN", [], false),
    savepoint: (connection, id) => connection.savepoint(savepoint(id)),
    releaseSavepoint: (connection, id) =>
      Effect.asVoid(connection.executeRaw(`RELEASE SAVEPOINT ${savepoint(id)}`, [])),
    commit: (connection) => connection.commit,
    rollback: (connection) => connection.rollback,
    rollbackSavepoint: (connection, id) => connection.rollbackTo(savepoint(id))
  })

  const settled = Effect.flatMap(Effect.context<never>(), (context) => current(context, client)?.settled ?? Effect.void)
  const withTransaction: Client["withTransaction"] = (effect) => transaction(Effect.tap(effect, settled))
  return Object.assign(client, { withTransaction, reserve: Effect.map(pool.get, lend) })
}

/**
 * Asks by a connection that nobody else shares meanwhile: for statements that take longer than those may wait which would stand
 * behind them. It is no transaction, so a write is committed as soon as it is done, whatever becomes of who asked. Inside of a
 * transaction it is a statement of that.
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
 * Makes a write whose answer nobody needs part of the open transaction, without waiting for it where the transaction can
 * do so: what is read next sees it, and the transaction commits only if it was done. Else it is waited for.
 */
export const posted = (sql: Client, statement: Statement<unknown>): Effect.Effect<void, SqlError> =>
  Effect.flatMap(Effect.context<never>(), (context) => {
    const connection = current(context, sql)
    return connection === undefined ? Effect.asVoid(statement) : connection.post(...statement.compile())
  })
