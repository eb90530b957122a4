/** Poolers before Postgres: those that keep sessions are fine, and the others are found out. */
import { DatabasePooled, requireSessions } from "@agent-platform/postgres"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlError } from "effect/sql/SqlError"
import { freshDatabase } from "./support/database.ts"
import { hasPgBouncer, NO_PGBOUNCER, type PgBouncerOptions, startPgBouncer } from "./support/pgBouncer.ts"
import { type PoolerOptions, startPooler } from "./support/pooler.ts"

const through = (options: PoolerOptions) =>
  Effect.gen(function* () {
    const url = Redacted.value(yield* freshDatabase)
    const pooler = yield* Effect.acquireRelease(
      Effect.promise(() => startPooler(url, options)),
      ({ stop }) => Effect.promise(stop)
    )
    return Redacted.make(pooler.url)
  })

const throughPgBouncer = (options: PgBouncerOptions) =>
  Effect.gen(function* () {
    const url = Redacted.value(yield* freshDatabase)
    const pooler = yield* Effect.acquireRelease(
      Effect.promise(() => startPgBouncer(url, options)),
      ({ stop }) => Effect.promise(stop)
    )
    return Redacted.make(pooler.url)
  })

describe("sessions", () => {
  it.live("are our own with Postgres itself", () =>
    Effect.gen(function* () {
      yield* requireSessions(yield* freshDatabase)
    })
  )

  it.live("are our own through a pooler in session mode", () =>
    Effect.gen(function* () {
      yield* requireSessions(yield* through({ mode: "session", idle: 3 }))
    }).pipe(Effect.scoped)
  )

  const TRANSACTION: ReadonlyArray<Omit<PoolerOptions, "mode">> = [
    { prefers: "last" },
    { prefers: "longest" },
    { prefers: "last", idle: 2 },
    { prefers: "longest", idle: 2 },
    { prefers: "longest", idle: 3 },
    { prefers: "longest", idle: 8 },
    { size: 1 },
    { size: 2, prefers: "longest" }
  ]
  for (const options of TRANSACTION) {
    it.live(`are not through one in transaction mode: ${JSON.stringify(options)}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(requireSessions(yield* through({ mode: "transaction", ...options })))
        assert.instanceOf(error, DatabasePooled)
        assert.include(error.detail, "session mode")
      }).pipe(Effect.scoped)
    )
  }

  // Only a real PgBouncer pools as one does; where it is not installed the names of these tests say so.
  const orWhyNot = (name: string) => (hasPgBouncer ? name : `${name}: ${NO_PGBOUNCER}`)
  const SETTINGS: ReadonlyArray<Readonly<Record<string, string>>> = [
    {},
    { server_round_robin: "1", min_pool_size: "2" },
    { server_round_robin: "1", min_pool_size: "3" },
    { min_pool_size: "5" },
    { default_pool_size: "1" }
  ]
  for (const mode of ["transaction", "statement"] as const) {
    for (const settings of SETTINGS) {
      const name = `are not through PgBouncer in ${mode} mode: ${JSON.stringify(settings)}`
      it.live.skipIf(!hasPgBouncer)(orWhyNot(name), () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(requireSessions(yield* throughPgBouncer({ mode, settings })))
          assert.instanceOf(error, DatabasePooled)
        }).pipe(Effect.scoped)
      )
    }
  }

  it.live.skipIf(!hasPgBouncer)(orWhyNot("are our own through PgBouncer in session mode"), () =>
    Effect.gen(function* () {
      yield* requireSessions(yield* throughPgBouncer({ mode: "session" }))
    }).pipe(Effect.scoped)
  )

  it.live("are not judged where the database is away", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(requireSessions(Redacted.make("postgres://nobody@127.0.0.1:1/nowhere")))
      assert.instanceOf(error, SqlError)
    })
  )
})
