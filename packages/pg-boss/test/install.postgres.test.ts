import { defineJob, JobQueue, JobSource, UnitOfWork } from "@agent-platform/kernel"
import { install, PgBossScheduler } from "@agent-platform/pg-boss"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Queue, Redacted, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { freshDatabase } from "../../postgres/test/support/database.ts"
import { refusal } from "../../postgres/test/support/refusal.ts"
import { ask, installFor, workerLayer } from "./support/queue.ts"

const kinds = [
  defineJob("any.other", Schema.Struct({})),
  defineJob("one.queue", Schema.Struct({}), { isSingleton: true, retrySeconds: 30, retrySecondsMax: 900 })
]

const queues = Effect.map(
  ask((boss) => boss.getQueues()),
  (found): ReadonlyArray<object> =>
    found
      .filter(({ name }) => kinds.some((kind) => kind.name === name))
      .map(({ heartbeatSeconds, name, notify, partition, policy, retryDelay, retryDelayMax }) => ({
        ...{ heartbeatSeconds, name, notify, partition, policy, retryDelay, retryDelayMax }
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
)

const common = { heartbeatSeconds: 20, notify: false, partition: false }
const expected: ReadonlyArray<object> = [
  { ...common, name: "any.other", policy: "standard", retryDelay: 1, retryDelayMax: null },
  { ...common, name: "one.queue", policy: "exclusive", retryDelay: 30, retryDelayMax: 900 }
]

describe("installing pg-boss", () => {
  it.live("makes every queue once when three processes begin at once, and again changes nothing", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* Effect.all(
        Array.from({ length: 3 }, () => installFor(url, kinds)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(yield* queues.pipe(Effect.provide(workerLayer(url))), expected)
      yield* installFor(url, kinds)
      assert.deepStrictEqual(yield* queues.pipe(Effect.provide(workerLayer(url))), expected)
    })
  )

  it.live("updates a queue that is set otherwise", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* installFor(
        url,
        kinds.map((kind) => ({ ...kind, isSingleton: !kind.isSingleton, retrySeconds: 7, retrySecondsMax: 8 }))
      )
      yield* installFor(url, kinds)
      assert.deepStrictEqual(yield* queues.pipe(Effect.provide(workerLayer(url))), expected)
    })
  )

  it.live("puts everything into the schema that it is given", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* installFor(url, kinds, "elsewhere")
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const schemas = yield* sql<{ readonly name: string }>`
          select distinct relnamespace::regnamespace::text as name from pg_class where relname = 'queue'
        `
        assert.deepStrictEqual(schemas, [{ name: "elsewhere" }])
        assert.deepStrictEqual(yield* queues, expected)
      }).pipe(Effect.provide(workerLayer(url, {}, "elsewhere")))
    })
  )

  it.live("leaves the apps' role all that pg-boss does while it runs", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* installFor(url, kinds)
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => {
        lines.push(String(message))
      })
      yield* Effect.gen(function* () {
        const [unit, queue, source] = [yield* UnitOfWork, yield* JobQueue, yield* JobSource]
        yield* Layer.build(PgBossScheduler.layer(kinds.map((kind) => ({ kind, cron: "* * * * *" }))))
        yield* Effect.repeat(
          ask((boss) => boss.getSchedules()),
          {
            until: (found) => found.length === kinds.length,
            schedule: Schedule.spaced("50 millis")
          }
        )
        yield* unit.atomic(Effect.forEach(kinds, (kind) => queue.enqueue(kind, {})))
        const done = yield* Queue.unbounded<string>()
        for (const kind of kinds) {
          const handle = () => Effect.as(Queue.offer(done, kind.name), "done" as const)
          yield* Effect.forkScoped(source.work(kind, handle))
        }
        yield* Effect.all([Queue.take(done), Queue.take(done)])
        yield* ask((boss) => boss.supervise())
        assert.deepStrictEqual(lines, [])
      }).pipe(
        Effect.scoped,
        Effect.provide(workerLayer(url, { schedules: true, supervises: true })),
        Effect.provide(Logger.layer([logger]))
      )
    })
  )

  it.live("waits for nobody who writes jobs once everything is there", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* installFor(url, kinds)
      yield* Effect.gen(function* () {
        const [unit, queue] = [yield* UnitOfWork, yield* JobQueue]
        yield* unit.atomic(Effect.andThen(queue.enqueue(kinds[0]!, {}), Effect.orDie(installFor(url, kinds))))
      }).pipe(Effect.provide(workerLayer(url)))
    })
  )

  it.live("may come after the processes that use the queue have started", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const [kind] = kinds
      yield* Effect.gen(function* () {
        const unit = yield* UnitOfWork
        const enqueue = unit.atomic(JobQueue.use((queue) => queue.enqueue(kind!, {})))
        assert.strictEqual((yield* Effect.exit(enqueue))._tag, "Failure")
        yield* installFor(url, kinds)
        yield* enqueue
        assert.lengthOf(yield* ask((boss) => boss.findJobs(kind!.name)), 1)
      }).pipe(Effect.provide(workerLayer(url)))
    })
  )

  it.live("leaves the apps' role its rows, and nothing else of it", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* installFor(url, kinds)
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (const statement of [
          "create table pgboss.mine (id int)",
          "alter table pgboss.queue add column mine int",
          "drop table pgboss.job cascade",
          "truncate pgboss.job",
          `select pgboss.create_queue('mine', '{"policy": "standard", "partition": true}')`
        ]) {
          assert.strictEqual(yield* refusal(sql.unsafe(statement)), "42501", statement)
        }
        const tables = yield* sql<{ readonly name: string; readonly privileges: string }>`
          select relation.oid::regclass::text as name, (
            select string_agg(one, ',') from unnest(array[
              'select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger'
            ]) as one where has_table_privilege(relation.oid, one)
          ) as privileges
          from pg_class as relation where relkind in ('r', 'p') and relnamespace = 'pgboss'::regnamespace
        `
        assert.isNotEmpty(tables)
        for (const { name, privileges } of tables) assert.strictEqual(privileges, "select,insert,update,delete", name)
      }).pipe(Effect.provide(workerLayer(url)))
    })
  )

  it.live("lets nothing last that pg-boss asks for itself", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* installFor(url, kinds)
      const { rows } = yield* ask((boss) =>
        boss.getDb().executeSql(`
          select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
            current_setting('idle_in_transaction_session_timeout') as idle
        `)
      ).pipe(Effect.provide(workerLayer(url)))
      assert.deepStrictEqual(rows, [{ statement: "5min", lock: "30s", idle: "30s" }])
    })
  )

  it.live("fails where there is no database", () =>
    Effect.gen(function* () {
      const url = Redacted.make("postgres://nobody@127.0.0.1:1/nowhere")
      assert.strictEqual((yield* Effect.flip(install({ url }, kinds)))._tag, "InstallFailed")
    })
  )
})
