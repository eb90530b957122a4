import { RunAcceptance } from "@agent-platform/runs"
import { holdName } from "../holdName.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import { insertRuns } from "./insertRuns.ts"

/** Accepting runs, in the tables `run`, `session` and `run_event`. */
export const layer = layerSql(RunAcceptance)((sql) => ({
  insert: insertRuns(sql),

  countQueued: (workspaceId, limit) =>
    sql<{ readonly count: number }>`
          select count(*)::int as count from (
            select 1 from agent_platform.run where workspace_id = ${workspaceId} and status = 'queued' limit ${limit}
          ) as queued
        `.pipe(mapRows(([row]) => row?.count ?? 0)),

  holdQueue: (workspaceId) => holdName(sql, `run_queue:${workspaceId}`)
}))
