import { CheckpointStore } from "@agent-platform/runs"
import { Effect, type Schema } from "effect"
import { uuids } from "../columns.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"

/** Checkpoints in the table `run_checkpoint`, fenced by the claims of their runs. */
export const layer = layerSql(CheckpointStore)((sql) => ({
  // The lock on the run makes another worker that takes it over wait for the commit; if that came first, the claim does not match.
  save: ({ claimToken, run, state }) =>
    sql`
          with holder as (
            select organization_id, workspace_id, id from agent_platform.run
            where workspace_id = ${run.workspaceId} and id = ${run.id} and claim_token = ${claimToken}
              and status = 'running'
            for no key update
          )
          insert into agent_platform.run_checkpoint (organization_id, workspace_id, run_id, state, saved_at)
          select organization_id, workspace_id, id, ${JSON.stringify(state)}, now() from holder
          on conflict (workspace_id, run_id) do update set state = excluded.state, saved_at = excluded.saved_at
          returning run_id
        `.pipe(mapRows((rows) => rows.length > 0)),

  load: (workspaceId, runId) =>
    sql<{ readonly state: string }>`
          select state from agent_platform.run_checkpoint where workspace_id = ${workspaceId} and run_id = ${runId}
        `.pipe(mapRows(([row]) => (row === undefined ? undefined : (JSON.parse(row.state) as Schema.Json)))),

  remove: (runIds) =>
    runIds.length === 0
      ? Effect.void
      : sql`
          delete from agent_platform.run_checkpoint using agent_platform.run
          where run.id = any(${uuids(runIds)})
            and run_checkpoint.workspace_id = run.workspace_id and run_checkpoint.run_id = run.id
        `.pipe(Effect.orDie, Effect.asVoid)
}))
