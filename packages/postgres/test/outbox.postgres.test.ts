/** Who holds an event, for how long, and what becomes of it when the holder is gone. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { EVENTS_ADDED, EventId, Outbox, Signals, type TakenEvent, UnitOfWork } from "@agent-platform/kernel"
import { layer as memory } from "@agent-platform/kernel/memory"
import { anId, outboxContract } from "@agent-platform/kernel/testing"
import { layerClient, layer as postgres } from "@agent-platform/postgres"
import { assert, layer as suite } from "@effect/vitest"
import { Clock, Context, Deferred, Effect, Fiber, Layer, Option, Redacted, Schedule, Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql/Statement"
import { LOST_AFTER_SECONDS, outboxStatements } from "../src/outbox/outboxStatements.ts"
import { JUDGES_AFTER_SECONDS, LOOK_SECONDS } from "../src/outbox/PgOutbox.ts"
import { asOwner, freshDatabase } from "./support/database.ts"

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

/** Another process that holds so many events, beside this one, which looks for lost holders as well. */
const holding = Effect.fnUntraced(function* (count: number) {
  yield* add(count)
  const ports = yield* another
  const outbox = Context.get(ports, Outbox)
  const events = yield* outbox.take(count)
  assert.isEmpty(yield* take())
  return { ports, outbox, events }
})

/** Makes the holders of events look as if they had been silent for so long. */
const age = (seconds: number, ...events: ReadonlyArray<TakenEvent>) =>
  SqlClient.SqlClient.use(
    (sql) => sql`
      update outbox_holder set seen_at = seen_at - ${`${seconds} seconds`}::interval
      where id in (select holder from event_outbox where event_id = any(${idsOf(events)}::uuid[]))
    `
  )

/** Makes the holders of events lost, as if they had been frozen for long. */
const lose = (...events: ReadonlyArray<TakenEvent>) =>
  SqlClient.SqlClient.use(
    (sql) => sql`
      update outbox_holder set is_lost = true
      where id in (select holder from event_outbox where event_id = any(${idsOf(events)}::uuid[]))
    `
  )

const holders = SqlClient.SqlClient.use((sql) =>
  Effect.map(sql<{ readonly id: string }>`select id from outbox_holder`, (rows) => rows.map(({ id }) => id))
)

const rests = Effect.gen(function* () {
  for (let rest = yield* take(1_000); rest.length > 0; rest = yield* take(1_000)) yield* atomic(complete(rest))
})

outboxContract("Postgres by the connections of a process", Layer.provideMerge(layer, memory))

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
      const { events, outbox } = yield* holding(1)
      // The next sign of life, at most 2 s away, must come before others find it lost.
      yield* age(LOST_AFTER_SECONDS / 2, ...events)
      const isSeen = sql<{ readonly seen: boolean }>`
        select bool_and(seen_at > now() - interval '4 seconds') as seen from outbox_holder
        where id in (select holder from event_outbox)
      `
      yield* Effect.repeat(Effect.orDie(isSeen), {
        until: ([row]) => row!.seen,
        schedule: Schedule.spaced("10 millis")
      })
      assert.isEmpty(yield* take())
      assert.strictEqual((yield* atomic(outbox.complete(events))).size, 1)
    })
  )

  it.effect("cannot complete it or give it back once another has it, and takes others all the same", () =>
    Effect.gen(function* () {
      const { events: stale, outbox: silent } = yield* holding(1)
      yield* lose(...stale)
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

  it.effect(
    "that is silent is judged by none who was silent itself until a moment ago, as when the database was away",
    () =>
      Effect.gen(function* () {
        const url = yield* freshDatabase
        const real = yield* Clock.Clock
        let frozenNanos = 0n
        const clock: Clock.Clock = Object.create(real, {
          monotonicTimeNanosUnsafe: { value: () => real.monotonicTimeNanosUnsafe() + frozenNanos }
        })
        const judge = yield* Layer.build(Layer.provide(processLayer(url), Layer.succeed(Clock.Clock, clock)))
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const judgedSince = Effect.fnUntraced(function* (begun: bigint) {
            yield* sql`insert into outbox_holder (id, seen_at) values (gen_random_uuid(), now() - interval '1 minute')`
            const isThere = sql`select 1 from outbox_holder where seen_at < now() - interval '30 seconds'`
            yield* Effect.repeat(Effect.orDie(isThere), {
              until: (rows) => rows.length === 0,
              schedule: Schedule.spaced("10 millis")
            })
            return Number(real.monotonicTimeNanosUnsafe() - begun) / 1e9
          })
          const registering = real.monotonicTimeNanosUnsafe()
          yield* take()
          assert.isAtLeast(yield* judgedSince(registering), JUDGES_AFTER_SECONDS)
          const frozen = real.monotonicTimeNanosUnsafe()
          frozenNanos += 60_000_000_000n
          assert.isAtLeast(yield* judgedSince(frozen), JUDGES_AFTER_SECONDS)
        }).pipe(Effect.provide(judge))
      })
  )

  // What a transaction completes is locked: nobody waits for it who looks for what else was lost.
  it.effect("loses what it held beside what a long transaction completes", () =>
    Effect.gen(function* () {
      const { events, outbox: vanishing, ports } = yield* holding(2)
      const [slow, lost] = events
      const unending = Effect.orDie(
        Context.get(ports, SqlClient.SqlClient)`select set_config('idle_in_transaction_session_timeout', '0', true)`
      )
      const [locked, over] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      yield* Effect.forkScoped(
        Context.get(ports, UnitOfWork).atomic(
          vanishing.complete([slow!]).pipe(
            // It would not last for long otherwise.
            Effect.andThen(unending),
            Effect.andThen(Deferred.succeed(locked, undefined)),
            Effect.andThen(Deferred.await(over)),
            Effect.andThen(Effect.die("It never ends well"))
          )
        )
      )
      yield* Deferred.await(locked)
      yield* lose(...events)
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
      const before = new Set(yield* holders)
      const more = Effect.map(holders, (ids) => ids.filter((id) => !before.has(id)).length)
      const scope = yield* Scope.make()
      const ports = yield* Scope.provide(another, scope)
      yield* Context.get(ports, UnitOfWork).atomic(Context.get(ports, Outbox).add(anId(EventId)))
      assert.strictEqual(yield* more, 0)
      const events = yield* Context.get(ports, Outbox).take(10)
      assert.strictEqual(yield* more, 1)
      yield* Context.get(ports, Outbox).release(events)
      yield* Scope.close(scope, yield* Effect.exit(Effect.void))
      assert.strictEqual(yield* more, 0)
      const lost = yield* takeAndVanish(10)
      assert.strictEqual(yield* more, 1)
      yield* sql`delete from event_outbox where event_id = any(${idsOf(lost)}::uuid[])`
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
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from event_outbox`
    })
  )

  it.effect("is not forgotten while it takes, nor kept from being found lost", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const statements = outboxStatements(sql)
      const [id] = yield* add(1)
      const [row] = yield* statements.register
      const me = row!.id
      const [taken, over] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const taking = yield* Effect.forkScoped(
        sql.withTransaction(
          statements
            .take(me, 1)
            .pipe(Effect.andThen(Deferred.succeed(taken, undefined)), Effect.andThen(Deferred.await(over)))
        )
      )
      yield* Deferred.await(taken)
      yield* sql`update outbox_holder set seen_at = now() - interval '1 minute' where id = ${me}`
      const lostBy = (judgeSeenAt: Date) =>
        Effect.map(statements.lost(judgeSeenAt, 60), (rows) => rows.map((one) => one.id))
      // A judgement that was under way for long is none.
      assert.notInclude(yield* lostBy(new Date(Date.now() - 120_000)), me)
      const lost = yield* lostBy(new Date())
      assert.include(lost, me)
      assert.isEmpty(yield* statements.releaseOf([me]))
      yield* sql.withTransaction(
        Effect.flatMap(statements.lockIdle([me]), (idle) => statements.forget(idle.map((one) => one.id)))
      )
      assert.include(yield* holders, me)
      yield* Deferred.succeed(over, undefined)
      yield* Fiber.join(taking)
      // It takes nothing more, and what it has taken is found by who looks next.
      yield* add(1)
      assert.isEmpty(yield* statements.take(me, 1))
      const freed = yield* Effect.repeat(take(), {
        until: (events) => events.some((event) => event.id === id),
        schedule: Schedule.spaced("50 millis")
      })
      assert.isEmpty(yield* statements.showLife(me))
      yield* sql`delete from event_outbox`
      assert.deepInclude(freed, { id, attempt: 2 })
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
