import { defineJob, JobQueue, JobSource, UnitOfWork } from "@agent-platform/kernel"
import { install, PgBossScheduler } from "@agent-platform/pg-boss"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { freshDatabase } from "../../postgres/test/support/database.ts"
import { workerLayer } from "./support/queue.ts"

const kinds = ["events.dispatch", "any.other"].map((name) => defineJob(name, Schema.Struct({})))

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

/** The tables whose jobs are found by who holds them. */
const indexed = SqlClient.SqlClient.use((sql) =>
  Effect.map(
    sql<{ readonly partition: string }>`
      select pg_get_expr(child.relpartbound, child.oid) as partition
      from pg_index join pg_class child on child.oid = indrelid and child.relkind = 'r'
      where indisvalid and indexrelid in (select relid from pg_partition_tree('pgboss.agent_platform_job_held'))
        and pg_get_expr(indpred, indrelid) =
          '((state = ''active''::pgboss.job_state) AND (heartbeat_seconds IS NOT NULL))'
      order by 1
    `,
    (rows) => rows.map((row) => row.partition)
  )
)

const EVERY_TABLE = ["DEFAULT", "FOR VALUES IN ('events.dispatch')"]

describe("installing pg-boss", () => {
  it.live("makes every queue once when three processes begin at once, and again changes nothing", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* Effect.all(
        Array.from({ length: 3 }, () => install({ url }, kinds)),
        { concurrency: "unbounded" }
      )
      const settings = { notify: false, heartbeat_seconds: 10, retry_delay: 0 }
      const expected = [
        { name: "any.other", partition: false, ...settings },
        { name: "events.dispatch", partition: true, ...settings }
      ]
      assert.deepStrictEqual(yield* queues.pipe(Effect.provide(workerLayer(url))), expected)
      assert.deepStrictEqual(yield* indexed.pipe(Effect.provide(workerLayer(url))), EVERY_TABLE)
      yield* install({ url }, kinds)
      assert.deepStrictEqual(yield* queues.pipe(Effect.provide(workerLayer(url))), expected)
    })
  )

  it.live("brings the settings of a queue up to date that exists already", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* install({ url }, kinds)
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`update pgboss.queue set heartbeat_seconds = 99, notify = true`
        yield* install({ url }, kinds)
        assert.deepStrictEqual(new Set((yield* queues).map((queue) => queue.heartbeat_seconds)), new Set([10]))
        assert.deepStrictEqual(new Set((yield* queues).map((queue) => queue.notify)), new Set([false]))
      }).pipe(Effect.provide(workerLayer(url)))
    })
  )

  it.live("makes the index of held jobs where an earlier version has installed the queues", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* install({ url }, kinds)
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`drop index pgboss.agent_platform_job_held`
        yield* install({ url }, kinds)
        assert.deepStrictEqual(yield* indexed, EVERY_TABLE)
      }).pipe(Effect.provide(workerLayer(url)))
    })
  )

  it.live("tries again to make the index where somebody writes jobs, and lets others pass in between", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* install({ url }, kinds)
      yield* Effect.gen(function* () {
        const [sql, unit, queue] = [yield* SqlClient.SqlClient, yield* UnitOfWork, yield* JobQueue]
        yield* sql`drop index pgboss.agent_platform_job_held`
        const waits = Effect.map(
          sql`select 1 from pg_locks where not granted and relation in (select relid from pg_partition_tree('pgboss.job'))`,
          (rows) => rows.length > 0
        )
        const until = (isSo: boolean) =>
          Effect.repeat(Effect.orDie(waits), { until: (is) => is === isSo, schedule: Schedule.spaced("10 millis") })
        const installing = yield* unit.atomic(
          Effect.gen(function* () {
            yield* queue.enqueue(kinds[0]!, {})
            const fiber = yield* Effect.forkDetach(install({ url }, kinds))
            yield* until(true)
            yield* until(false)
            yield* until(true)
            return fiber
          })
        )
        yield* Fiber.join(installing)
        assert.deepStrictEqual(yield* indexed, EVERY_TABLE)
      }).pipe(Effect.provide(workerLayer(url)))
    })
  )

  it.live("waits for nobody who writes jobs once everything is there", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* install({ url }, kinds)
      yield* Effect.gen(function* () {
        const [unit, queue] = [yield* UnitOfWork, yield* JobQueue]
        yield* unit.atomic(Effect.andThen(queue.enqueue(kinds[0]!, {}), Effect.orDie(install({ url }, kinds))))
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
        yield* install({ url }, kinds)
        yield* enqueue
        assert.strictEqual((yield* JobSource.use((source) => source.take(kind!, 1))).length, 1)
      }).pipe(Effect.provide(workerLayer(url)))
    })
  )

  it.live("keeps jobs that are over for an hour, those of the clock too", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* install({ url }, kinds)
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
          ["__pgboss__send-it", "any.other", "events.dispatch"].map((name) => [name, 3_600])
        )
      }).pipe(Effect.scoped, Effect.provide(workerLayer(url)))
    })
  )

  it.live("fails where there is no database", () =>
    Effect.gen(function* () {
      const url = Redacted.make("postgres://nobody@127.0.0.1:1/nowhere")
      assert.strictEqual((yield* Effect.flip(install({ url }, kinds)))._tag, "InstallFailed")
    })
  )
})
