import { defineMeasure } from "@agent-platform/kernel"
import { Effect, Metric } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { SCHEMA } from "./connection.ts"

const oldestDueJob = defineMeasure({
  name: "agent_platform_oldest_due_job_seconds",
  kind: "gauge",
  labels: ["queue"],
  help: "For how long the oldest due job of a queue has waited to be taken."
})

/** All of them, for the documentation. */
export const QUEUE_MEASURES = [oldestDueJob]

/** Brings the ages of these queues up to date. One that is empty has the age 0. */
export const readJobAges = (
  queues: ReadonlyArray<{ readonly name: string }>
): Effect.Effect<void, SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const table = sql.literal(`${SCHEMA}.job`)
    for (const { name } of queues) {
      const [oldest] = yield* sql<{ readonly seconds: number }>`
        select greatest(0, extract(epoch from now() - start_after))::float8 as seconds from ${table}
        where name = ${name} and state < 'active' and not blocked and start_after <= now()
        order by priority desc, created_on limit 1
      `
      yield* Metric.update(oldestDueJob.of({ queue: name }), oldest?.seconds ?? 0)
    }
  })
