/** Jobs that are put in, taken and deleted by our own statements are to pg-boss what its own would be. */
import { defineJob, JobQueue, JobSource, UnitOfWork } from "@agent-platform/kernel"
import { Boss } from "@agent-platform/pg-boss"
import { assert, layer as suite } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { DatabaseUrl, installQueue, queueLayer } from "./support/queue.ts"

const aKind = Effect.gen(function* () {
  const kind = defineJob(
    `statements.${SecureRandom.uuidV4Unsafe().slice(0, 8)}`,
    Schema.Struct({ note: Schema.String })
  )
  yield* installQueue(kind)
  return kind
})

/** What is told of a job's times from here. */
const TIMES = ["created_on", "start_after", "keep_until", "started_on", "heartbeat_on"]

/** The rows of a queue without their ids, and their times as seconds after they were made. */
const rowsOf = (name: string) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{ readonly row: Record<string, unknown> }>`
        select to_jsonb(job) - 'id' as row from pgboss.job where name = ${name} order by created_on
      `,
      (rows) =>
        rows.map(({ row }) => {
          const since = (time: unknown) =>
            time === null
              ? null
              : Math.round((Date.parse(String(time)) - Date.parse(String(row["created_on"]))) / 60_000)
          const { name: _, ...rest } = row
          return { ...rest, ...Object.fromEntries(TIMES.map((column) => [column, since(row[column])])) }
        })
    )
  )

const database = Layer.unwrap(Effect.map(DatabaseUrl, (url) => Boss.layer({ url }))).pipe(
  Layer.provideMerge(queueLayer)
)

suite(database, { excludeTestServices: true, timeout: "60 seconds" })("our statements on pg-boss's table", (it) => {
  it.effect("put a job in, and take it, as pg-boss does: column by column", () =>
    Effect.gen(function* () {
      const [unit, queue, source, boss] = [yield* UnitOfWork, yield* JobQueue, yield* JobSource, yield* Boss]
      const [ours, theirs] = [yield* aKind, yield* aKind]
      const payload = { note: "Grüße" }
      yield* unit.atomic(queue.enqueue(ours, payload, { priority: 3 }))
      yield* boss.use((pgBoss) => pgBoss.send(theirs.name, payload, { priority: 3 }))
      const waiting = yield* rowsOf(ours.name)
      assert.lengthOf(waiting, 1)
      assert.deepStrictEqual(waiting, yield* rowsOf(theirs.name))
      yield* source.take(ours, 10)
      yield* boss.use((pgBoss) => pgBoss.fetch(theirs.name, { batchSize: 10 }))
      assert.deepStrictEqual(yield* rowsOf(ours.name), yield* rowsOf(theirs.name))
    })
  )

  it.effect("take what pg-boss has put in, and leave it nothing to take of that", () =>
    Effect.gen(function* () {
      const [unit, source, boss] = [yield* UnitOfWork, yield* JobSource, yield* Boss]
      const kind = yield* aKind
      yield* boss.use((pgBoss) => pgBoss.send(kind.name, { note: "one" }, { priority: 0 }))
      yield* boss.use((pgBoss) => pgBoss.send(kind.name, { note: "two" }, { priority: 1 }))
      const jobs = yield* source.take(kind, 10)
      assert.deepStrictEqual(jobs.map(({ payload }) => payload.note).toSorted(), ["one", "two"])
      assert.isEmpty(yield* boss.use((pgBoss) => pgBoss.fetch(kind.name)))
      assert.strictEqual((yield* unit.atomic(source.complete(jobs))).size, 2)
      assert.isEmpty(yield* rowsOf(kind.name))
    })
  )

  it.effect("fail the transaction that puts a job into a queue that was never made", () =>
    Effect.gen(function* () {
      const [unit, queue] = [yield* UnitOfWork, yield* JobQueue]
      const kind = defineJob("statements.never-made", Schema.Struct({}))
      const exit = yield* Effect.exit(unit.atomic(queue.enqueue(kind, {})))
      assert.strictEqual(exit._tag, "Failure")
    })
  )
})
