import type { PgConnection } from "@effect/sql-pg"
import { type Array as Arr, Effect, Stream } from "effect"
import type { Connection, Row } from "effect/sql/SqlConnection"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"

type Transform = Parameters<Connection["execute"]>[2]

/** The last parameter of `query` for statements that a session hardly repeats, so that it need not keep them prepared. */
export const UNPREPARED = false

/** Sends a statement behind the COMMIT of a transaction, for all `items` that were handed in for it there. */
export type Follow = (
  items: Iterable<string>,
  send: (statement: Statement<unknown>) => Effect.Effect<unknown, SqlError>
) => Effect.Effect<void>

/** The failure of a COMMIT that Postgres has answered by ROLLBACK. */
const rolledBack = (): SqlError =>
  new SqlError({
    reason: new UnknownError({
      cause: new Error("COMMIT rolled back an aborted transaction"),
      message: "COMMIT rolled back an aborted transaction",
      operation: "commit"
    })
  })

/** The client's view of a session of Postgres, for one transaction or one statement: each statement is sent as it comes. */
export class SessionConnection implements Connection {
  protected readonly session: PgConnection.PgConnection
  /** Made when it is needed, as most connections are for one statement. */
  #following: Map<Follow, Set<string>> | undefined
  #isCommitting = false

  constructor(session: PgConnection.PgConnection) {
    this.session = session
  }

  /**
   * Hands something in for the statement that follows COMMIT. None is sent if the transaction fails before that. False where it is too late,
   * as COMMIT is under way.
   */
  follow(follow: Follow, item: string): boolean {
    if (this.#isCommitting) return false
    this.#following ??= new Map()
    const items = this.#following.get(follow) ?? new Set()
    this.#following.set(follow, items.add(item))
    return true
  }

  /**
   * COMMIT; fails where the transaction had failed, which Postgres answers by ROLLBACK. Statements that follow it are sent without waiting
   * for its answer, so in the same write where the session can pipeline. They do not fail the transaction.
   */
  commit(): Effect.Effect<void, SqlError> {
    return Effect.suspend(() => {
      this.#isCommitting = true
      const committed = Effect.flatMap(this.session.query("COMMIT"), ({ command }) =>
        command === "ROLLBACK" ? Effect.fail(rolledBack()) : Effect.void
      )
      if (this.#following === undefined) return committed
      const send: Parameters<Follow>[1] = (statement) =>
        Effect.suspend(() => this.session.query(...statement.compile()))
      const following = Array.from(this.#following, ([follow, items]) =>
        Effect.exit(Effect.suspend(() => follow(items, send)))
      )
      // All of them begin in this order, and the connection is given back when the last is answered.
      return Effect.flatMap(
        Effect.all([Effect.exit(committed), ...following], { concurrency: "unbounded" }),
        ([exit]) => exit
      )
    })
  }

  /** Waits for the answer to a statement. */
  protected answer<A>(asked: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> {
    return asked
  }

  #rows(sql: string, params: ReadonlyArray<unknown>, transform: Transform, prepare: boolean) {
    return Effect.map(this.answer(this.session.query(sql, params, prepare)), ({ rows }) =>
      transform === undefined ? rows : transform(rows)
    )
  }

  execute(sql: string, params: ReadonlyArray<unknown>, transform: Transform) {
    return this.#rows(sql, params, transform, true)
  }

  executeUnprepared(sql: string, params: ReadonlyArray<unknown>, transform: Transform) {
    return this.#rows(sql, params, transform, false)
  }

  executeRaw(sql: string, params: ReadonlyArray<unknown>) {
    return this.answer(this.session.query(sql, params))
  }

  executeValues(sql: string, params: ReadonlyArray<unknown>) {
    return this.answer(this.session.queryValues(sql, params))
  }

  executeValuesUnprepared(sql: string, params: ReadonlyArray<unknown>) {
    return this.answer(this.session.queryValues(sql, params, false))
  }

  executeStream(sql: string, params: ReadonlyArray<unknown>, transform: Transform) {
    const rows = this.session.stream(sql, params)
    // A transform makes as many rows as it is given, which its type does not say.
    return transform === undefined
      ? rows
      : Stream.mapArray(rows, (some) => transform(some) as unknown as Arr.NonEmptyReadonlyArray<Row>)
  }
}
