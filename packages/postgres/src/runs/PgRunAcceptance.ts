import { RunAcceptance } from "@agent-platform/runs"
import { Effect } from "effect"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import { insertRuns } from "./insertRuns.ts"

/** Taking in runs in the tables `run`, `session` and `run_event`. */
export const layer = layerSql(RunAcceptance)((sql) => ({
  insert: insertRuns(sql),

  countQueued: (workspaceId, limit) =>
    sql<{ readonly count: number }>`
          select count(*)::int as count from (
            select 1 from agent_platform.run where workspace_id = ${workspaceId} and status = 'queued' limit ${limit}
          ) as queued
        `.pipe(mapRows(([row]) => row?.count ?? 0)),

  holdQueue: (workspaceId) =>
    sql`select pg_advisory_xact_lock(hashtextextended('agent_platform.' || ${`run_queue:${workspaceId}`}, 0))`.pipe(
      Effect.orDie,
      Effect.asVoid
    )
}))
