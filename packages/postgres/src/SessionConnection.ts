import type { PgConnection } from "@effect/sql-pg"
import { type Array as Arr, Effect, Stream } from "effect"
import type { Connection, Row } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"

type Transform = Parameters<Connection["execute"]>[2]

/** The last parameter of `query` for statements that a session hardly repeats, so that it need not keep them prepared. */
export const UNPREPARED = false

/** The client's view of a session of Postgres: each statement is sent as it comes. */
export class SessionConnection implements Connection {
  protected readonly session: PgConnection.PgConnection

  constructor(session: PgConnection.PgConnection) {
    this.session = session
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
