/** Reads that are given up leave nothing running at the server, behind which others would wait. */
import { cancellable } from "@agent-platform/postgres"
import { assert, layer as suite } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { asSuperuser, databaseLayer } from "./support/database.ts"

/** How many sessions of this database sleep, as another session sees it. */
const sleepers = asSuperuser((sql) =>
  Effect.map(
    sql<{ readonly count: number }>`
      select count(*)::int as count from pg_stat_activity
      where wait_event = 'PgSleep' and state = 'active' and datname = current_database()
    `,
    ([row]) => row?.count
  )
)

suite(databaseLayer, { excludeTestServices: true })("reads that are cancellable", (it) => {
  it.effect("end at the server when they are interrupted", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const reading = yield* Effect.forkChild(cancellable(sql`select pg_sleep(300)`))
      yield* Effect.repeat(sleepers, { until: (count) => count === 1 })
      yield* Fiber.interrupt(reading)
      yield* Effect.repeat(sleepers, { until: (count) => count === 0 })
      assert.lengthOf(yield* sql`select 1`, 1)
    })
  )
})
