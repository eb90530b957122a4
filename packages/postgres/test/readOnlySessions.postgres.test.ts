/** Sessions of a server that takes no writes any more. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import { layerClient } from "../src/Postgres.ts"

/** Of one connection, or divided into one for statements and one for transactions. */
const clientOf = (maxConnections: number, attributes: string) => {
  const url = new URL(inject("postgresUrl"))
  url.searchParams.set("target_session_attrs", attributes)
  return Layer.fresh(layerClient({ url: Redacted.make(url.href), maxConnections }))
}

const pid = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly pid: number }>`select pg_backend_pid() as pid`
  return row?.pid
})

const makeReadOnly = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select set_config('default_transaction_read_only', 'on', false)`
})

const write = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table written_by_nobody (id int)`
})

const inTransaction = <A, E, R>(act: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(act))

describe("a session whose server refuses a write", () => {
  const ways = { statements: <A, E, R>(act: Effect.Effect<A, E, R>) => act, transactions: inTransaction }
  for (const [name, way] of Object.entries(ways)) {
    for (const connections of [1, 4]) {
      it.live(`is closed where read-write is asked for, by ${name} over ${connections} connections`, () =>
        Effect.gen(function* () {
          yield* way(makeReadOnly)
          const before = yield* way(pid)
          assert.include(String((yield* Effect.flip(way(write))).reason.cause), "read-only transaction")
          assert.notStrictEqual(yield* Effect.eventually(way(pid)), before)
        }).pipe(Effect.provide(clientOf(connections, "read-write")))
      )
    }
  }

  it.live("is kept where any server will do", () =>
    Effect.gen(function* () {
      yield* makeReadOnly
      const before = yield* pid
      yield* Effect.flip(write)
      assert.strictEqual(yield* pid, before)
    }).pipe(Effect.provide(clientOf(1, "any")))
  )
})
