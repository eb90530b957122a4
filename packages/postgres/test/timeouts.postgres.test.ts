/** Postgres ends what lasts too long, and the client of the apps goes on after it. */
import { layerClient, TIMEOUTS, type Timeouts } from "@agent-platform/postgres"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Fiber, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { askAlone } from "../src/pipelined.ts"
import { freshDatabase } from "./support/database.ts"
import { refusal } from "./support/refusal.ts"

/** The client of a process: divided between transactions and single statements, or of one connection as for a command. */
const CLIENTS = { "many connections": 8, "one connection": 1 }

const [TOO_LONG, LOCKED, IDLE] = ["57014", "55P03", "25P03"]

interface SettingsRow {
  readonly statement: string
  readonly lock: string
  readonly idle: string
}

const inForce = SqlClient.SqlClient.use(
  (sql) => sql<SettingsRow>`
    select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
      current_setting('idle_in_transaction_session_timeout') as idle
  `
).pipe(Effect.map(([row]) => row))

const SHORT: Timeouts = { statement: 0.5, lock: 0.2, idleInTransaction: 0.5 }

describe.each(Object.entries(CLIENTS))("a client with %s", (_, maxConnections) => {
  const over = (url: Redacted.Redacted, timeouts: Timeouts) =>
    Effect.provide(layerClient({ url, maxConnections, timeouts }))
  it.live("has the timeouts of its purpose in every session, in transactions and outside", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const expected = {
        requests: { statement: "30s", lock: "10s", idle: "10s" },
        work: { statement: "1min", lock: "2s", idle: "10s" },
        jobs: { statement: "1h", lock: "30s", idle: "1min" },
        migrations: { statement: "0", lock: "0", idle: "1min" }
      }
      for (const purpose of ["requests", "work", "jobs", "migrations"] as const) {
        const found = yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const alone = askAlone(sql, sql<{ readonly lock: string }>`select current_setting('lock_timeout') as lock`)
          return [yield* inForce, yield* sql.withTransaction(inForce), { ...(yield* inForce), ...(yield* alone)[0] }]
        }).pipe(over(url, TIMEOUTS[purpose]))
        for (const one of found) assert.deepStrictEqual(one, expected[purpose], purpose)
      }
    })
  )

  it.live("is refused a statement that lasts, and one that waits for a lock, and goes on", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const holding = yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        return yield* sql.withTransaction(Effect.andThen(sql`lock table activity`, Effect.never))
      }).pipe(over(url, TIMEOUTS.migrations), Effect.forkChild)
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        assert.strictEqual(yield* refusal(sql`select pg_sleep(60)`), TOO_LONG)
        const isHeld = sql<{ readonly held: boolean }>`
          select exists (select from pg_locks where relation = 'activity'::regclass and granted) as held
        `
        yield* Effect.repeat(isHeld, { until: ([row]) => row?.held === true })
        assert.strictEqual(yield* refusal(sql`select from activity`), LOCKED)
        assert.strictEqual(yield* refusal(sql.withTransaction(sql`select from activity`)), LOCKED)
        assert.strictEqual((yield* sql`select from run`).length, 0)
        assert.strictEqual((yield* sql.withTransaction(sql`select from run`)).length, 0)
      }).pipe(over(url, SHORT))
      yield* Fiber.interrupt(holding)
    })
  )

  it.live("loses a transaction that it leaves idle with what that has locked, and begins others", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const left = sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`insert into idempotency_key values ('a', 'b', 'c', 'd', 'e', now())`
            const [row] = yield* sql<{ readonly pid: number }>`select pg_backend_pid() as pid`
            yield* ended(url, row?.pid ?? 0)
            yield* sql`select 1`
          })
        )
        // Its ROLLBACK fails as well, which makes a defect of the failure. Whether the client reads why before it sees that the
        // connection is gone, by its end or by a reset of what it writes, is up to the machine.
        const lost = Cause.squash(yield* Effect.flip(Effect.sandbox(left))) as SqlError
        assert.include([IDLE, undefined, "ECONNRESET"], yield* refusal(Effect.fail(lost)))
        for (let times = 0; times < 10; times++) {
          assert.deepStrictEqual([...(yield* sql.withTransaction(sql`select from idempotency_key`))], [])
          assert.deepStrictEqual([...(yield* sql`select from idempotency_key`)], [])
        }
      }).pipe(over(url, SHORT))
    })
  )
})

/** Waits until that session of the database is gone. */
const ended = (url: Redacted.Redacted, pid: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const found = sql`select from pg_stat_activity where pid = ${pid}`
    yield* Effect.repeat(found, { until: (rows) => rows.length === 0 })
  }).pipe(Effect.provide(layerClient({ url, maxConnections: 1 }))) as Effect.Effect<void, SqlError>
