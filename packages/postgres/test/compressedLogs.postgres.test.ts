/** Logs that are compressed lie in few rows, a bounded part of them at a time, and those that somebody else works on stay as they are. */
import { UnitOfWork } from "@agent-platform/kernel"
import { layer as postgres } from "@agent-platform/postgres"
import { RunHistory, RunId, RunLog } from "@agent-platform/runs"
import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { databaseLayer } from "./support/database.ts"
import { storeTenantRows } from "./support/tenantRows.ts"

/** Two ended runs of a tenant in the order of their ids, with logs of so many events. */
const endedRuns = Effect.fnUntraced(function* (lengths: readonly [number, number]) {
  const sql = yield* SqlClient.SqlClient
  const ids = yield* storeTenantRows
  yield* sql`delete from compressed_log where workspace_id = ${ids.workspace}`
  yield* sql`delete from run_event where workspace_id = ${ids.workspace}`
  yield* sql`update run set status = 'succeeded', finished_at = created_at where workspace_id = ${ids.workspace}`
  const runs = [ids.run, ids.followUp].toSorted()
  for (const [place, run] of runs.entries()) {
    const length = lengths[place] ?? 0
    yield* sql`update run set last_seq = ${length} where id = ${run}`
    yield* sql`
      insert into run_event (workspace_id, run_id, session_id, seq, type, created_at, attempt, data)
      select ${ids.workspace}::uuid, ${run}::uuid, ${ids.session}::uuid, seq, 'log', now(), 1, jsonb_build_object('message', seq)
      from generate_series(1, ${length}::int) as seq
    `
  }
  return { ...ids, runs: runs.map((run) => RunId.make(run)) as [RunId, RunId] }
})

const compressAfter = (after: RunId | undefined, limit = 100) =>
  UnitOfWork.use((unit) =>
    unit.atomic(
      RunHistory.use((history) =>
        history.compress({ before: DateTime.makeUnsafe("2100-01-01T00:00:00Z"), after, limit })
      )
    )
  )

const countOf = (table: "run_event" | "compressed_log", run: RunId) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{ readonly count: number }>`select count(*)::int as count from ${sql(table)} where run_id = ${run}`,
      ([row]) => row?.count
    )
  )

describe("logs", () => {
  suite(Layer.provideMerge(postgres, databaseLayer), { excludeTestServices: true })((it) => {
    it.effect("are compressed into a row for every 500 events, no more than 5,000 of several runs at a time", () =>
      Effect.gen(function* () {
        const { runs } = yield* endedRuns([4_700, 1_300])
        const [first, second] = runs
        assert.deepStrictEqual(yield* compressAfter(undefined), { logs: 1, last: first })
        assert.strictEqual(yield* countOf("run_event", second), 1_300)
        assert.deepStrictEqual(yield* compressAfter(first), { logs: 1, last: second })
        assert.deepStrictEqual(yield* compressAfter(second), { logs: 0, last: undefined })
        for (const [run, rows] of [
          [first, 10],
          [second, 3]
        ] as const) {
          assert.strictEqual(yield* countOf("run_event", run), 0)
          assert.strictEqual(yield* countOf("compressed_log", run), rows)
        }
        const log = yield* RunLog
        const read = yield* Effect.forEach([0, 1_000, 2_000, 3_000, 4_000], (after) =>
          log.read(first, { after, limit: 1_000 })
        )
        assert.deepStrictEqual(
          read.flat().map(({ data, seq }) => [seq, data["message"]]),
          Array.from({ length: 4_700 }, (_, n) => [n + 1, n + 1])
        )
      })
    )

    it.effect("stay as they are while their session is being forgotten or their run is written to", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { runs, session } = yield* endedRuns([2, 3])
        for (const lock of [
          sql`select from session where id = ${session} for update`,
          sql`select from run where id = any(array[${runs[0]}, ${runs[1]}]::uuid[]) for update`
        ]) {
          const [held, over] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
          const holder = yield* lock.pipe(
            Effect.andThen(Deferred.succeed(held, undefined)),
            Effect.andThen(Deferred.await(over)),
            sql.withTransaction,
            Effect.forkChild
          )
          yield* Deferred.await(held)
          assert.deepStrictEqual(yield* compressAfter(undefined), { logs: 0, last: runs[1] })
          yield* Deferred.succeed(over, undefined)
          yield* Fiber.join(holder)
        }
        assert.strictEqual(yield* countOf("run_event", runs[1]), 3)
        assert.strictEqual((yield* compressAfter(undefined)).logs, 2)
      })
    )
  })
})
