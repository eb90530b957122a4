/** Who holds an event, for how long, and what becomes of it when the holder is gone. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { EVENTS_ADDED, EventId, Outbox, Signals, type TakenEvent, UnitOfWork } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { layerClient, layer as postgres } from "@agent-platform/postgres"
import { assert, layer as suite } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Option, Redacted, Schedule, Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql/Statement"
import { LOST_AFTER_SECONDS, outboxStatements } from "../src/outbox/outboxStatements.ts"
import { LOOK_SECONDS } from "../src/outbox/PgOutbox.ts"
import { freshDatabase } from "./support/database.ts"

class DatabaseUrl extends Context.Service<DatabaseUrl, Redacted.Redacted>()("test/DatabaseUrl") {}

/** All ports over one client, as a process has them, sharing nothing with another. */
const processLayer = (url: Redacted.Redacted) =>
  postgres.pipe(Layer.provideMerge(layerClient({ url, maxConnections: 12 })), Layer.orDie, Layer.fresh)

const layer = Layer.unwrap(
  Effect.map(freshDatabase, (url) => Layer.merge(processLayer(url), Layer.succeed(DatabaseUrl, url)))
).pipe(Layer.orDie)

const atomic = <A, E, R>(effect: Effect.Effect<A, E, R>) => UnitOfWork.use((unit) => unit.atomic(effect))
const add = (count: number) => {
  const ids = Array.from({ length: count }, () => anId(EventId))
  return Effect.as(atomic(Outbox.use((outbox) => outbox.add(...ids))), ids)
}
const take = (max = 10) => Outbox.use((outbox) => outbox.take(max))
const complete = (events: ReadonlyArray<TakenEvent>) => Outbox.use((outbox) => outbox.complete(events))
const release = (events: ReadonlyArray<TakenEvent>) => Outbox.use((outbox) => outbox.release(events))
const idsOf = (events: ReadonlyArray<TakenEvent>) => events.map(({ id }) => id)

/** Takes until there is an event, woken by signals. */
const takeSoon = Effect.scoped(
  Effect.gen(function* () {
    const next = yield* Signals.use((signals) => signals.listen(EVENTS_ADDED))
    while (true) {
      const events = yield* take()
      if (events.length > 0) return events
      yield* next(30)
    }
  })
)

/** Another process, in this one, until the scope closes. */
const another = Effect.flatMap(DatabaseUrl, (url) => Layer.build(processLayer(url)))

/** Takes events as a process that is then gone: nothing shows life for them any more. */
const takeAndVanish = (max: number) =>
  Effect.scoped(Effect.flatMap(another, (ports) => Context.get(ports, Outbox).take(max)))

/** Makes the holders of events look as if they had been silent for so long. */
const age = (seconds: number, ...events: ReadonlyArray<TakenEvent>) =>
  SqlClient.SqlClient.use(
    (sql) => sql`
      update outbox_holder set seen_at = seen_at - ${`${seconds} seconds`}::interval
      where id in (select holder from event_outbox where event_id = any(${idsOf(events)}::uuid[]))
    `
  )

const holders = SqlClient.SqlClient.use((sql) =>
  Effect.map(sql<{ readonly count: number }>`select count(*)::int as count from outbox_holder`, ([row]) => row?.count)
)

const rests = Effect.gen(function* () {
  for (let rest = yield* take(1_000); rest.length > 0; rest = yield* take(1_000)) yield* atomic(complete(rest))
})

suite(layer, { excludeTestServices: true, timeout: "60 seconds" })("the holder of an event", (it) => {
  it.effect("that is killed loses it to another", () =>
    Effect.gen(function* () {
      const ids = yield* add(1)
      const url = Redacted.value(yield* DatabaseUrl)
      const script = fileURLToPath(new URL("./support/outboxHolder.ts", import.meta.url))
      const flags = "Deno" in globalThis ? ["run", "-A"] : []
      const child = yield* Effect.acquireRelease(
        Effect.sync(() => spawn(process.execPath, [...flags, script, url], { stdio: ["ignore", "pipe", "inherit"] })),
        (started) => Effect.sync(() => started.kill("SIGKILL"))
      )
      const [said] = yield* Effect.promise(() => once(child.stdout, "data"))
      assert.strictEqual(String(said).trim(), "holding 1")
      assert.isEmpty(yield* take())
      child.kill("SIGKILL")
      const retaken = yield* takeSoon
      assert.deepStrictEqual(retaken, [{ id: ids[0]!, attempt: 2 }])
      assert.strictEqual((yield* atomic(complete(retaken))).size, 1)
    })
  )

  it("is given so long to show that it lives that another has the event within 15 seconds", () => {
    assert.isAtMost(LOST_AFTER_SECONDS + LOOK_SECONDS, 15)
    // And who lives has several chances to say so.
    assert.isBelow(3 * LOOK_SECONDS, LOST_AFTER_SECONDS)
  })

  it.effect("keeps it for as long as it lives", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* add(1)
      const ports = yield* another
      const events = yield* Context.get(ports, Outbox).take(1)
      // So that others look as well.
      assert.isEmpty(yield* take())
      // Nearly lost: the next sign of life, at most 2 s away, must come before others find it, 3 s from now.
      yield* age(LOST_AFTER_SECONDS - 3, ...events)
      const isSeen = sql<{ readonly seen: boolean }>`
        select bool_and(seen_at > now() - interval '2 seconds') as seen from outbox_holder
      `
      yield* Effect.repeat(Effect.orDie(isSeen), {
        until: ([row]) => row!.seen,
        schedule: Schedule.spaced("10 millis")
      })
      assert.isEmpty(yield* take())
      assert.strictEqual((yield* atomic(Context.get(ports, Outbox).complete(events))).size, 1)
    })
  )

  it.effect("cannot complete it or give it back once another has it, and takes others all the same", () =>
    Effect.gen(function* () {
      yield* add(1)
      const ports = yield* another
      const silent = Context.get(ports, Outbox)
      const stale = yield* silent.take(1)
      assert.isEmpty(yield* take())
      yield* age(60, ...stale)
      const fresh = yield* takeSoon
      assert.strictEqual((yield* atomic(silent.complete(stale))).size, 0)
      yield* silent.release(stale)
      assert.isEmpty(yield* take())
      assert.strictEqual((yield* atomic(complete(fresh))).size, 1)
      const [id] = yield* add(1)
      const retaken = yield* Effect.repeat(silent.take(1), {
        until: (events) => events.length > 0,
        schedule: Schedule.spaced("50 millis")
      })
      assert.deepStrictEqual(idsOf(retaken), [id])
      assert.strictEqual((yield* atomic(silent.complete(retaken))).size, 1)
    })
  )

  it.effect("loses each of many once, however many look at the same moment", () =>
    Effect.gen(function* () {
      const ids = yield* add(20)
      const stale = yield* takeAndVanish(20)
      assert.strictEqual(stale.length, 20)
      const others = yield* Effect.forEach([1, 2, 3], () => another, { concurrency: 3 })
      for (const ports of others) assert.isEmpty(yield* Context.get(ports, Outbox).take(1))
      yield* age(60, ...stale)
      const found: Array<TakenEvent> = []
      while (found.length < 20) {
        const events = yield* takeSoon
        found.push(...events)
        yield* atomic(complete(events))
      }
      assert.deepStrictEqual(found.map(({ attempt, id }) => [id, attempt]).sort(), ids.map((id) => [id, 2]).sort())
    })
  )

  // What a transaction completes is locked: nobody waits for it who looks for what else was lost.
  it.effect("loses what it held beside what a long transaction completes", () =>
    Effect.gen(function* () {
      yield* add(2)
      const ports = yield* another
      const vanishing = Context.get(ports, Outbox)
      const events = yield* vanishing.take(2)
      const [slow, lost] = events
      assert.isEmpty(yield* take())
      const [locked, over] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      yield* Effect.forkScoped(
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
      yield* age(60, ...events)
      const retaken = yield* Effect.timeoutOption(takeSoon, "10 seconds")
      assert.deepStrictEqual(
        Option.getOrElse(retaken, () => []).map(({ id }) => id),
        [lost!.id]
      )
      yield* Deferred.succeed(over, undefined)
      // And is no less lost when that has ended without it.
      const later = yield* takeSoon
      assert.deepStrictEqual(idsOf(later), [slow!.id])
      yield* atomic(complete([...Option.getOrElse(retaken, () => []), ...later]))
    })
  )

  it.effect("that failed to give it back, or never learnt that it has it, gives it back soon, and keeps the rest", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [, , unknown] = yield* add(3)
      const [kept, given] = yield* take(2)
      // As if the answer of a take had been lost.
      yield* sql`update event_outbox set holder = (select holder from event_outbox where event_id = ${kept!.id}), attempt = 1
        where event_id = ${unknown}`
      const failing = atomic(Effect.andThen(Effect.exit(sql`select 1 / 0`), Effect.exit(release([given!]))))
      assert.strictEqual((yield* Effect.exit(failing))._tag, "Failure")
      const found: Array<TakenEvent> = []
      while (found.length < 2) found.push(...(yield* takeSoon))
      assert.sameDeepMembers(found, [
        { id: given!.id, attempt: 2 },
        { id: unknown!, attempt: 2 }
      ])
      assert.strictEqual((yield* atomic(complete([kept!, ...found]))).size, 3)
    })
  )

  it.effect("is none who only adds, and is forgotten when it closes without holding anything", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const before = yield* holders
      const scope = yield* Scope.make()
      const ports = yield* Scope.provide(another, scope)
      yield* Context.get(ports, UnitOfWork).atomic(Context.get(ports, Outbox).add(anId(EventId)))
      assert.strictEqual(yield* holders, before)
      const events = yield* Context.get(ports, Outbox).take(10)
      assert.strictEqual(yield* holders, Number(before) + 1)
      yield* Context.get(ports, Outbox).release(events)
      yield* Scope.close(scope, yield* Effect.exit(Effect.void))
      assert.strictEqual(yield* holders, before)
      const lost = yield* takeAndVanish(10)
      assert.strictEqual(yield* holders, Number(before) + 1)
      yield* sql`delete from event_outbox where event_id = any(${idsOf(lost)}::uuid[])`
    })
  )

  it.effect("takes and completes by the index, though the planner knows of nothing to take", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const statements = outboxStatements(sql)
      yield* rests
      yield* sql`vacuum analyze event_outbox`
      const ids = yield* add(3_000)
      const planOf = (statement: Statement<unknown>) => {
        const [text, parameters] = statement.compile()
        return Effect.map(sql.unsafe<{ readonly "QUERY PLAN": string }>(`explain ${text}`, parameters), (rows) =>
          rows.map((row) => row["QUERY PLAN"]).join("\n")
        )
      }
      const holder = anId(EventId)
      const [taking, completing] = yield* sql.withTransaction(
        Effect.andThen(
          statements.byIndex,
          Effect.all([planOf(statements.take(holder, 200)), planOf(statements.complete(holder, ids.slice(0, 200)))])
        )
      )
      assert.match(taking, /Index Scan using event_outbox_pkey on event_outbox/)
      assert.match(taking, /Tid Scan on event_outbox/)
      assert.match(completing, /Index Scan using event_outbox_pkey on event_outbox/)
      for (const plan of [taking, completing]) assert.notMatch(plan, /Seq Scan on event_outbox|Sort/)
      yield* rests
    })
  )
})
