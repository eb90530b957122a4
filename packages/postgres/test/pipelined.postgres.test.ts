/** Transactions that send their statements without waiting for each other. */
import { atomic, EventLog } from "@agent-platform/kernel"
import { anEvent } from "@agent-platform/kernel/testing"
import { layerClient, layer as postgres } from "@agent-platform/postgres"
import { assert, describe, layer as suite } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { askAlone, posted } from "../src/pipelined.ts"
import { freshDatabase } from "./support/database.ts"

class DatabaseUrl extends Context.Service<DatabaseUrl, Redacted.Redacted>()("test/DatabaseUrl") {}

const MAX_CONNECTIONS = 8

const layer = Layer.unwrap(
  Effect.map(Effect.orDie(freshDatabase), (url) =>
    Layer.merge(
      postgres.pipe(Layer.provideMerge(layerClient({ url, maxConnections: MAX_CONNECTIONS })), Layer.orDie),
      Layer.succeed(DatabaseUrl, url)
    )
  )
)

const append = (event: ReturnType<typeof anEvent>) => EventLog.use((log) => log.append(event))
const remains = (event: ReturnType<typeof anEvent>) =>
  EventLog.use((log) => Effect.map(log.find([event.id]), (found) => found.length === 1))

/**
 * Holds that a transaction ended as it failed by itself, behind a posted write that is refused. On Deno transactions do not
 * pipeline: a posted write is waited for, and ends the transaction before it can fail by itself.
 */
const failedBehind = (refused: string, exit: Exit.Exit<unknown, string>) => {
  if (!("Deno" in globalThis)) return assert.deepStrictEqual(exit, Exit.fail("no"))
  assert.isTrue(Exit.hasDies(exit) && String(exit).includes(refused), String(exit))
}

/** Somebody outside who looks at the connections of the process under test. */
const outside = <A, E>(look: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
  Effect.flatMap(DatabaseUrl, (url) =>
    Effect.provide(Effect.orDie(SqlClient.SqlClient.use(look)), Layer.orDie(layerClient({ url, maxConnections: 1 })))
  )

describe("pipelined transactions", () => {
  suite(layer, { excludeTestServices: true })((it) => {
    it.effect("fail for a write that is refused, whether or not anything waited for it, and leave nothing", () =>
      Effect.gen(function* () {
        const [earlier, event] = [anEvent(), anEvent()]
        yield* atomic(append(earlier))
        const exit = yield* Effect.exit(atomic(Effect.andThen(append(event), append(earlier))))
        assert.isTrue(Exit.isFailure(exit) && String(exit).includes("duplicate key"), String(exit))
        assert.isFalse(yield* remains(event))
      })
    )

    it.effect("name the write that was refused where a later statement fails for it", () =>
      Effect.gen(function* () {
        const earlier = anEvent()
        yield* atomic(append(earlier))
        const exit = yield* Effect.exit(atomic(Effect.andThen(append(earlier), remains(earlier))))
        assert.isTrue(Exit.isFailure(exit) && String(exit).includes("duplicate key"), String(exit))
      })
    )

    it.effect("inside of another fail by themselves for their own writes", () =>
      Effect.gen(function* () {
        const [earlier, outer, inner, after] = [anEvent(), anEvent(), anEvent(), anEvent()]
        yield* atomic(append(earlier))
        const inside = yield* atomic(
          Effect.gen(function* () {
            yield* append(outer)
            const exit = yield* Effect.exit(atomic(Effect.andThen(append(inner), append(earlier))))
            yield* append(after)
            return exit
          })
        )
        assert.isTrue(Exit.isFailure(inside))
        assert.deepStrictEqual(yield* Effect.forEach([outer, inner, after], remains), [true, false, true])
      })
    )

    it.effect("inside of another fail alone, though nobody waited for their refused write", () =>
      Effect.gen(function* () {
        const [earlier, outer] = [anEvent(), anEvent()]
        yield* atomic(append(earlier))
        const inside = yield* atomic(
          Effect.gen(function* () {
            yield* append(outer)
            return yield* Effect.exit(atomic(Effect.andThen(append(earlier), Effect.fail("no"))))
          })
        )
        failedBehind("duplicate key", inside)
        assert.isTrue(yield* remains(outer))
      })
    )

    it.effect("fail for a write that the client itself refuses, though only one inside learns of it", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [outer, inner] = [anEvent(), anEvent()]
        const invalid = posted(sql, sql`select ${new Date(Number.NaN)}::timestamptz`)
        const exit = yield* Effect.exit(
          atomic(
            Effect.gen(function* () {
              yield* append(outer)
              yield* Effect.orDie(invalid)
              yield* Effect.exit(atomic(append(inner)))
            })
          )
        )
        assert.isTrue(Exit.isFailure(exit))
        assert.deepStrictEqual(yield* Effect.forEach([outer, inner], remains), [false, false])
      })
    )

    it.effect("leave nothing when they fail, though the server has forgotten a statement that they posted", () =>
      Effect.gen(function* () {
        const [whole, part] = [anEvent(), anEvent()]
        const forgotten = (event: ReturnType<typeof anEvent>) =>
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            yield* append(anEvent())
            yield* Effect.orDie(sql`deallocate all`.unprepared)
            yield* append(event)
            return yield* Effect.fail("no")
          })
        const failing = Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          failedBehind("does not exist", yield* Effect.exit(atomic(forgotten(whole))))
          failedBehind("does not exist", yield* atomic(Effect.exit(atomic(forgotten(part)))))
          // Behind everything in flight, on each of the two connections.
          const sleep = atomic(Effect.orDie(sql`select pg_sleep(0.05)`))
          yield* Effect.all([sleep, sleep], { concurrency: 2 })
        })
        const client = layerClient({ url: yield* DatabaseUrl, maxConnections: 4 })
        yield* Effect.provide(failing, Layer.fresh(Layer.orDie(Layer.provideMerge(postgres, client))))
        assert.deepStrictEqual(yield* Effect.forEach([whole, part], remains), [false, false])
      })
    )

    it.effect("are interrupted while they wait for a posted write, and free what they held", () =>
      Effect.gen(function* () {
        const [held, event] = [anEvent(), anEvent()]
        const [inserted, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const holder = yield* Effect.forkChild(
          atomic(
            Effect.gen(function* () {
              yield* append(event)
              assert.isTrue(yield* remains(event))
              yield* Deferred.succeed(inserted, undefined)
              yield* Deferred.await(release)
            })
          )
        )
        yield* Deferred.await(inserted)
        const waits = Effect.map(
          outside(
            (other) => other`select 1 from pg_stat_activity where wait_event_type = 'Lock' and state = 'active'
              and datname = current_database()`
          ),
          (rows) => rows.length > 0
        )
        const fiber = yield* Effect.forkChild(atomic(Effect.andThen(append(held), append(event))))
        while (!(yield* waits)) yield* Effect.yieldNow
        const interrupted = yield* Effect.timeoutOption(Fiber.interrupt(fiber), "10 seconds")
        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(holder)
        assert.strictEqual(interrupted._tag, "Some")
        assert.deepStrictEqual(yield* Effect.forEach([held, event], remains), [false, true])
      })
    )

    it.effect("give back connections that work, after any number of failures", () =>
      Effect.gen(function* () {
        const earlier = anEvent()
        yield* atomic(append(earlier))
        const events = Array.from({ length: 40 }, () => anEvent())
        yield* Effect.forEach(
          events,
          (event, index) =>
            Effect.exit(atomic(Effect.andThen(append(event), index % 2 === 0 ? append(earlier) : Effect.void))),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          yield* Effect.forEach(events, remains),
          events.map((_, index) => index % 2 === 1)
        )
      })
    )

    it.effect("send more statements than may be on their way at once", () =>
      Effect.gen(function* () {
        const events = Array.from({ length: 300 }, () => anEvent())
        yield* atomic(Effect.forEach(events, append, { discard: true }))
        const found = yield* EventLog.use((log) => log.find(events.map(({ id }) => id)))
        assert.strictEqual(found.length, events.length)
      })
    )

    it.effect("cancel the statement that they wait for when they are interrupted, and free what they held", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [held, event] = [anEvent(), anEvent()]
        yield* atomic(append(held))
        const sleeping = Effect.map(
          outside(
            (other) => other`select 1 from pg_stat_activity where wait_event = 'PgSleep' and state = 'active'
            and datname = current_database()`
          ),
          (rows) => rows.length > 0
        )
        const fiber = yield* Effect.forkChild(
          atomic(
            Effect.gen(function* () {
              yield* append(event)
              yield* Effect.orDie(sql`select 1 from event where id = ${held.id} for update`)
              yield* Effect.orDie(sql`select pg_sleep(600)`)
            })
          )
        )
        while (!(yield* sleeping)) yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
        // Waits for the lock, which would be held for ten minutes.
        yield* atomic(Effect.orDie(sql`select 1 from event where id = ${held.id} for update`))
        assert.isFalse(yield* sleeping)
        assert.isFalse(yield* remains(event))
      })
    )

    it.effect("and single statements together never open more connections than the process may have", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const busy = Effect.orDie(sql`select pg_sleep(0.01)`)
        yield* Effect.all(
          Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? busy : atomic(busy))),
          { concurrency: "unbounded" }
        )
        const [row] = yield* outside(
          (other) => other<{ readonly count: number }>`
            select count(*)::int as count from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid() and application_name = 'agent-platform'
          `
        )
        assert.isAtMost(row?.count ?? 0, MAX_CONNECTIONS)
      })
    )
  })
})

describe("a statement that asks alone", () => {
  suite(layer, { excludeTestServices: true })((it) => {
    const LOCK = 4_711

    it.effect("holds up no other, however long it takes", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [locked, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const lock = sql`select pg_advisory_xact_lock(${LOCK})`
        const holder = yield* Effect.forkChild(
          atomic(
            Effect.orDie(lock).pipe(
              Effect.andThen(Deferred.succeed(locked, undefined)),
              Effect.andThen(Deferred.await(released))
            )
          )
        )
        yield* Deferred.await(locked)
        const alone = yield* Effect.forkChild(askAlone(sql, lock))
        const waits = outside(
          (other) => other`select 1 from pg_locks where locktype = 'advisory' and objid = ${LOCK} and not granted`
        )
        while ((yield* waits).length === 0) yield* Effect.yieldNow
        const others = yield* Effect.forEach(Array.from({ length: 40 }), () => sql`select 1`, {
          concurrency: "unbounded"
        })
        assert.lengthOf(others, 40)
        assert.isUndefined(alone.pollUnsafe())
        yield* Deferred.succeed(released, undefined)
        yield* Fiber.join(holder)
        assert.lengthOf(yield* Fiber.join(alone), 1)
      })
    )

    it.effect("is one of the transaction's where there is one", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const current = sql<{ readonly id: string }>`select pg_current_xact_id()::text as id`
        const inside = yield* atomic(Effect.orDie(Effect.all([current, askAlone(sql, current)])))
        assert.deepStrictEqual(inside[0], inside[1])
        assert.notDeepEqual(yield* askAlone(sql, current), yield* askAlone(sql, current))
      })
    )
  })
})
