/** Who has an event, for how long, and what becomes of it when its taker is gone. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { atomic, EventId, Outbox, type TakenEvent, UnitOfWork } from "@agent-platform/kernel"
import { layer as memory } from "@agent-platform/kernel/memory"
import { anId, outboxContract, outboxProtocolContract } from "@agent-platform/kernel/testing"
import { layerClient, layer as postgres } from "@agent-platform/postgres"
import { assert, layer as suite } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql/Statement"
import { outboxStatements } from "../src/outbox/outboxStatements.ts"
import { asOwner, freshDatabase } from "./support/database.ts"

class DatabaseUrl extends Context.Service<DatabaseUrl, Redacted.Redacted>()("test/DatabaseUrl") {}

/** All ports over one client, as a process has them, sharing nothing with another. */
const processLayer = (url: Redacted.Redacted) =>
  postgres.pipe(Layer.provideMerge(layerClient({ url, maxConnections: 12 })), Layer.orDie, Layer.fresh)

const layer = Layer.unwrap(
  Effect.map(freshDatabase, (url) => Layer.merge(processLayer(url), Layer.succeed(DatabaseUrl, url)))
).pipe(Layer.orDie)

const add = (count: number) => {
  const ids = Array.from({ length: count }, () => anId(EventId))
  return Effect.as(atomic(Outbox.use((outbox) => outbox.add(...ids))), ids)
}
const take = (max = 10, leaseSeconds?: number) => Outbox.use((outbox) => outbox.take(max, leaseSeconds))
const complete = (events: ReadonlyArray<TakenEvent>) => Outbox.use((outbox) => outbox.complete(events))
const idsOf = (events: ReadonlyArray<TakenEvent>) => events.map(({ id }) => id)

/** Another process, in this one, until the scope closes. */
const another = Effect.flatMap(DatabaseUrl, (url) => Layer.build(processLayer(url)))

/** Another process that has taken so many events. */
const holding = Effect.fnUntraced(function* (count: number) {
  yield* add(count)
  const ports = yield* another
  const outbox = Context.get(ports, Outbox)
  const events = yield* outbox.take(count)
  assert.isEmpty(yield* take())
  return { ports, outbox, events }
})

/** Ends the leases of these events, as if their taker had been silent for long. */
const lapse = (...events: ReadonlyArray<TakenEvent>) =>
  SqlClient.SqlClient.use(
    (sql) => sql`update event_outbox set taken_until = now() where event_id = any(${idsOf(events)}::uuid[])`
  )

const rests = Effect.gen(function* () {
  for (let rest = yield* take(1_000); rest.length > 0; rest = yield* take(1_000)) yield* atomic(complete(rest))
})

outboxContract("Postgres by the connections of a process", Layer.provideMerge(layer, memory))
outboxProtocolContract("Postgres", Layer.provideMerge(layer, memory))

suite(layer, { excludeTestServices: true, timeout: "60 seconds" })("the taker of an event", (it) => {
  it.effect("has it for 12 seconds by the clock of Postgres, and loses it to another when it is killed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ids = yield* add(1)
      const url = Redacted.value(yield* DatabaseUrl)
      const script = fileURLToPath(new URL("./support/outboxTaker.ts", import.meta.url))
      const flags = "Deno" in globalThis ? ["run", "-A"] : []
      const child = yield* Effect.acquireRelease(
        Effect.sync(() => spawn(process.execPath, [...flags, script, url], { stdio: ["ignore", "pipe", "inherit"] })),
        (started) => Effect.sync(() => started.kill("SIGKILL"))
      )
      const [said] = yield* Effect.promise(() => once(child.stdout, "data"))
      const token = /^taken by (\S+)$/.exec(String(said).trim())?.[1]
      assert.isDefined(token)
      assert.isEmpty(yield* take())
      const [lease] = yield* sql<{ readonly is_short: boolean; readonly is_long: boolean }>`
        select taken_until <= now() + interval '12 seconds' as is_short, taken_until > now() as is_long from event_outbox
      `
      assert.deepStrictEqual(lease, { is_short: true, is_long: true })
      child.kill("SIGKILL")
      yield* lapse({ id: ids[0]!, attempt: 1, token })
      const retaken = yield* take()
      assert.deepStrictEqual(
        retaken.map(({ attempt, id }) => [id, attempt]),
        [[ids[0]!, 2]]
      )
      assert.strictEqual((yield* atomic(complete(retaken))).size, 1)
    })
  )

  it.effect("cannot complete it or give it back once another has it, and takes others all the same", () =>
    Effect.gen(function* () {
      const { events: stale, outbox: silent } = yield* holding(1)
      yield* lapse(...stale)
      const fresh = yield* take()
      assert.strictEqual((yield* atomic(silent.complete(stale))).size, 0)
      yield* silent.release(stale)
      assert.isEmpty(yield* take())
      assert.strictEqual((yield* atomic(complete(fresh))).size, 1)
      const [id] = yield* add(1)
      const retaken = yield* silent.take(1)
      assert.deepStrictEqual(idsOf(retaken), [id])
      assert.strictEqual((yield* atomic(silent.complete(retaken))).size, 1)
    })
  )

  it.effect("settles late while another retakes it, and only one of them takes it out", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 20; round++) {
        yield* add(5)
        const stale = yield* take(5, 0)
        const [settled, retaken] = yield* Effect.all([atomic(complete(stale)), take(5)], { concurrency: 2 })
        assert.strictEqual(settled.size + retaken.length, 5)
        assert.strictEqual((yield* atomic(complete(retaken))).size, retaken.length)
      }
    })
  )

  // Rows that a transaction completes are locked, and skipped when lapsed events are taken.
  it.effect("loses what it held beside what a long transaction completes", () =>
    Effect.gen(function* () {
      const { events, outbox: vanishing, ports } = yield* holding(2)
      const [slow, lost] = events
      const [locked, over] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const completing = yield* Effect.forkScoped(
        Context.get(ports, UnitOfWork).atomic(
          vanishing
            .complete([slow!])
            .pipe(
              Effect.andThen(Deferred.succeed(locked, undefined)),
              Effect.andThen(Deferred.await(over)),
              Effect.andThen(Effect.die("It never ends well"))
            )
        )
      )
      yield* Deferred.await(locked)
      yield* Context.get(ports, Outbox).release([lost!])
      const retaken = yield* Effect.timeoutOption(take(), "10 seconds")
      assert.deepStrictEqual(
        Option.getOrElse(retaken, () => []).map(({ id }) => id),
        [lost!.id]
      )
      yield* Deferred.succeed(over, undefined)
      yield* Effect.exit(Fiber.join(completing))
      // It is no less there when that has ended without it.
      yield* lapse(slow!)
      const later = yield* take()
      assert.deepStrictEqual(idsOf(later), [slow!.id])
      yield* atomic(complete([...Option.getOrElse(retaken, () => []), ...later]))
    })
  )

  it.effect("is one of many processes, however many take at once", () =>
    Effect.gen(function* () {
      const ids = yield* add(300)
      const processes = yield* Effect.forEach(Array.from({ length: 6 }), () => another, { concurrency: 6 })
      const taking = processes.flatMap((ports) => Array.from({ length: 5 }, () => Context.get(ports, Outbox).take(9)))
      const taken = (yield* Effect.all(taking, { concurrency: "unbounded" })).flat()
      taken.push(...(yield* take(300)))
      assert.deepStrictEqual(idsOf(taken).sort(), [...ids].sort())
      assert.strictEqual((yield* atomic(complete(taken))).size, 300)
    })
  )

  it.effect("takes, gives back and retakes it without any index hearing of it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* asOwner((owner) => owner`vacuum event_outbox`)
      yield* add(200)
      const counts = Effect.map(
        sql<{ readonly updated: number; readonly hot: number }>`
          select pg_stat_get_xact_tuples_updated('event_outbox'::regclass)::int as updated,
            pg_stat_get_xact_tuples_hot_updated('event_outbox'::regclass)::int as hot
        `,
        ([row]) => row!
      )
      const [before, after] = yield* sql.withTransaction(
        Effect.gen(function* () {
          // A connection also counts its earlier reads, until it has reported them to the server.
          const earlier = yield* counts
          yield* take(200)
          return [earlier, yield* counts] as const
        })
      )
      assert.strictEqual(after.updated - before.updated, 200)
      assert.strictEqual(after.hot - before.hot, 200)
      yield* sql`update event_outbox set taken_until = null`
      yield* rests
    })
  )

  it.effect("takes and completes by the index, though the planner knows of nothing to take", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const statements = outboxStatements(sql)
      yield* rests
      yield* asOwner((owner) => owner`vacuum analyze event_outbox`)
      const ids = yield* add(3_000)
      const planOf = (statement: Statement<unknown>) => {
        const [text, parameters] = statement.compile()
        return Effect.map(sql.unsafe<{ readonly "QUERY PLAN": string }>(`explain ${text}`, parameters), (rows) =>
          rows.map((row) => row["QUERY PLAN"]).join("\n")
        )
      }
      const token = anId(EventId)
      const events = ids.slice(0, 200).map((id): TakenEvent => ({ id, attempt: 1, token }))
      const plans = yield* sql.withTransaction(
        Effect.andThen(
          statements.byIndex,
          Effect.all([planOf(statements.complete(events)), planOf(statements.release(events))])
        )
      )
      for (const plan of plans) {
        assert.match(plan, /Index Scan using event_outbox_pkey on event_outbox/)
        assert.notMatch(plan, /Seq Scan on event_outbox|Sort|Hash Join|Merge Join/)
        // The primary key is looked into by the id, and not read as a whole.
        assert.match(plan, /Index Cond: \(event_id = given.event_id\)/)
      }
      const scans = Effect.map(
        sql<{ readonly all: number; readonly index: number }>`
          select pg_stat_get_xact_numscans('event_outbox'::regclass)::int as all,
            pg_stat_get_xact_numscans('event_outbox_pkey'::regclass)::int as index
        `,
        ([row]) => row!
      )
      const [before, after] = yield* sql.withTransaction(
        Effect.gen(function* () {
          const earlier = yield* scans
          assert.strictEqual((yield* take(200)).length, 200)
          return [earlier, yield* scans] as const
        })
      )
      assert.strictEqual(after.all - before.all, 0, "scans of the whole outbox")
      assert.isAbove(after.index - before.index, 0)
      yield* sql`update event_outbox set taken_until = null`
      yield* rests
    })
  )
})
