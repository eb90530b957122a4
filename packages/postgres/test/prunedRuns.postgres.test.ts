/** Forgetting runs that rows of every other table refer to. */
import { UnitOfWork } from "@agent-platform/kernel"
import { layer as postgres } from "@agent-platform/postgres"
import { RunHistory } from "@agent-platform/runs"
import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { databaseLayer } from "./support/database.ts"
import { storeTenantRows } from "./support/tenantRows.ts"

describe("runs that rows of every table refer to", () => {
  suite(Layer.provideMerge(postgres, databaseLayer))((it) => {
    it.effect("are forgotten with their logs and checkpoints, and other rows about them are kept", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const ids = yield* storeTenantRows
        yield* sql`update run set status = 'succeeded', finished_at = created_at where workspace_id = ${ids.workspace}`
        const countIn = (table: string) =>
          Effect.map(
            sql<{ readonly count: number }>`
              select count(*)::int as count from ${sql(table)} where workspace_id = ${ids.workspace}
            `,
            ([row]) => row?.count
          )
        const kept = ["usage_correction", "notification", "activity"]
        const before = yield* Effect.forEach(kept, countIn)
        const forgotten = yield* UnitOfWork.use((unit) =>
          unit.atomic(
            RunHistory.use((history) =>
              history.forget({ before: DateTime.makeUnsafe("2100-01-01T00:00:00Z"), after: undefined, limit: 500 })
            )
          )
        )
        assert.isAtLeast(forgotten.runs, 2)
        for (const table of [
          "run",
          "session",
          "run_event",
          "compressed_log",
          "run_checkpoint",
          "run_content",
          "run_spend"
        ]) {
          assert.strictEqual(yield* countIn(table), 0, table)
        }
        assert.deepStrictEqual(yield* Effect.forEach(kept, countIn), before)
        assert.isTrue(
          before.every((count) => (count ?? 0) > 0),
          String(before)
        )
      })
    )
  })
})
