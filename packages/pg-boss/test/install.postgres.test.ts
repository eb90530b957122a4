import { defineJob, JobQueue, JobSource, UnitOfWork } from "@agent-platform/kernel"
import { Boss, install, PgBossScheduler } from "@agent-platform/pg-boss"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { freshDatabase } from "../../postgres/test/support/database.ts"
import { refusal } from "../../postgres/test/support/refusal.ts"
import { installFor, workerLayer } from "./support/queue.ts"

const kinds = ["one.queue", "any.other"].map((name) => defineJob(name, Schema.Struct({})))

interface QueueRow {
  readonly name: string
  readonly partition: boolean
  readonly notify: boolean
  readonly heartbeat_seconds: number
  readonly retry_delay: number
}

const queues = SqlClient.SqlClient.use(
  (sql) =>
    sql<QueueRow>`
    select name, partition, notify, heartbeat_seconds, retry_delay from pgboss.queue order by name
  `
)

describe("installing pg-boss", () => {
  it.live("makes every queue once when three processes begin at once, and again changes nothing", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* Effect.all(
        Array.from({ length: 3 }, () => installFor(url, kinds)),
        { concurrency: "unbounded" }
      )
      const settings = { notify: false, heartbeat_seconds: 10, retry_delay: 0 }
      const expected = [
        { name: "any.other", partition: false, ...settings },
        { name: "one.queue", partition: false, ...settings }
      ]
      assert.deepStrictEqual(yield* queues.pipe(Effect.provide(workerLayer(url))), expected)
      yield* installFor(url, kinds)
      assert.deepStrictEqual(yield* queues.pipe(Effect.provide(workerLayer(url))), expected)
    })
  )

  it.live("brings the settings of a queue up to date that exists already", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* installFor(url, kinds)
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`update pgboss.queue set heartbeat_seconds = 99, notify = true`
        yield* installFor(url, kinds)
        assert.deepStrictEqual(new Set((yield* queues).map((queue) => queue.heartbeat_seconds)), new Set([10]))
        assert.deepStrictEqual(new Set((yield* queues).map((queue) => queue.notify)), new Set([false]))
      }).pipe(Effect.provide(workerLayer(url)))
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
        assert.strictEqual((yield* JobSource.use((source) => source.take(kind!, 1))).length, 1)
      }).pipe(Effect.provide(workerLayer(url)))
    })
  )

  it.live("keeps jobs that are over for an hour, those of the clock too", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* installFor(url, kinds)
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const kept = sql<{ readonly name: string; readonly seconds: number }>`
          select name, deletion_seconds as seconds from pgboss.queue order by name
        `
        yield* Layer.build(PgBossScheduler.layer({ url }, []))
        const isTold = Effect.map(kept, (rows) =>
          rows.some(({ name, seconds }) => name.includes("send-it") && seconds === 3_600)
        )
        for (let looks = 0; looks < 200 && !(yield* isTold); looks++) yield* Effect.sleep("100 millis")
        assert.deepStrictEqual(
          (yield* kept).map(({ name, seconds }) => [name, seconds]),
          ["__pgboss__send-it", "any.other", "one.queue"].map((name) => [name, 3_600])
        )
      }).pipe(Effect.scoped, Effect.provide(workerLayer(url)))
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
      const { rows } = yield* Boss.use((boss) =>
        boss.use((pgBoss) =>
          pgBoss.getDb().executeSql(`
            select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
              current_setting('idle_in_transaction_session_timeout') as idle
          `)
        )
      ).pipe(Effect.provide(Layer.provide(Boss.layer({ url }), workerLayer(url))))
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
