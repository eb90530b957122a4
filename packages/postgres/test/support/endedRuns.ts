/** Ends of runs for the suite of roll-ups, written into the rows of runs, and the history of them. */
import { RunSummaries } from "@agent-platform/billing"
import { EndedRuns } from "@agent-platform/billing/testing"
import { PgRunOutcomes } from "@agent-platform/postgres"
import { RunOutcomes } from "@agent-platform/runs"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { readNullableTimestamp, readTimestamp, timestamp } from "../../src/columns.ts"

const layerHistory: Layer.Layer<RunSummaries, never, SqlClient.SqlClient> = Layer.effect(
  RunSummaries,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { countEnded } = yield* RunOutcomes
    return RunSummaries.of({
      countEnded,
      find: (workspaceId, runId) =>
        sql<{ readonly created_at: Date; readonly finished_at: Date | null }>`
          select created_at, finished_at from agent_platform.run where workspace_id = ${workspaceId} and id = ${runId}
        `.pipe(
          Effect.orDie,
          Effect.map(
            ([row]) =>
              row && { createdAt: readTimestamp(row.created_at), finishedAt: readNullableTimestamp(row.finished_at) }
          )
        )
    })
  })
).pipe(Layer.provide(PgRunOutcomes.layer))

export const layerEndedRuns: Layer.Layer<EndedRuns | RunSummaries, never, SqlClient.SqlClient> = Layer.merge(
  layerHistory,
  Layer.effect(
    EndedRuns,
    Effect.map(SqlClient.SqlClient, (sql) =>
      EndedRuns.of({
        end: ({ runId }, { finishedAt, latencyMillis, outcome }) =>
          sql`
            update agent_platform.run set status = ${outcome === "paused" ? "succeeded" : outcome}, paused = ${outcome === "paused"},
              created_at = ${timestamp(DateTime.subtract(finishedAt, { milliseconds: latencyMillis }))},
              started_at = ${timestamp(finishedAt)}, finished_at = ${timestamp(finishedAt)}, ended_xid = pg_current_xact_id()
            where id = ${runId}
          `.pipe(Effect.orDie, Effect.asVoid)
      })
    )
  )
)
