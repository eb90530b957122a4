import { parseJson } from "@agent-platform/kernel"
import { CheckpointStore } from "@agent-platform/runs"
import { Effect, type Schema } from "effect"
import { uuids } from "../columns.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"

/** Checkpoints in the table `run_checkpoint`, fenced by the claims of their runs. */
export const layer = layerSql(CheckpointStore)((sql) => ({
  // The lock on the run makes another worker that takes it over wait for the commit; if that came first, the claim does not match.
  save: ({ claimToken, kept, run, state }) =>
    sql`
          with holder as (
            select organization_id, workspace_id, id, session_id from agent_platform.run
            where workspace_id = ${run.workspaceId} and id = ${run.id} and claim_token = ${claimToken}
              and status = 'running'
            for no key update
          )
          insert into agent_platform.run_checkpoint (organization_id, workspace_id, run_id, session_id, state, saved_at)
          select organization_id, workspace_id, id, case when ${kept}::boolean then session_id end, ${JSON.stringify(state)}, now()
          from holder
          on conflict (workspace_id, run_id)
          do update set session_id = excluded.session_id, state = excluded.state, saved_at = excluded.saved_at
          returning run_id
        `.pipe(mapRows((rows) => rows.length > 0)),

  load: (workspaceId, runId) =>
    sql<{ readonly state: string }>`
          select state from agent_platform.run_checkpoint where workspace_id = ${workspaceId} and run_id = ${runId}
        `.pipe(mapRows(([row]) => (row === undefined ? undefined : (parseJson(row.state) as Schema.Json)))),

  recall: ({ agentId, id, recipe, sessionId, workspaceId }) =>
    sql<{ readonly state: string }>`
          select kept.state from agent_platform.run_checkpoint as kept
          join agent_platform.run as before on before.workspace_id = kept.workspace_id and before.id = kept.run_id
          join agent_platform.run as here on here.workspace_id = kept.workspace_id and here.id = ${id}
          where kept.workspace_id = ${workspaceId} and kept.session_id = ${sessionId}
            and before.agent_id = ${agentId} and before.recipe = ${recipe} and before.position < here.position
          order by before.position desc limit 1
        `.pipe(mapRows(([row]) => (row === undefined ? undefined : (parseJson(row.state) as Schema.Json)))),

  // `ended`: the checkpoints of these runs. `spent`: those that no session keeps, and, for each that its session does keep, the older
  // ones of the session, agent and recipe, which it replaces. Of these a checkpoint stays while the question of its run is open, or the
  // run that answers it has not ended.
  removeSpent: (runIds) =>
    runIds.length === 0
      ? Effect.void
      : sql`
          with ended as (
            select run.workspace_id, run.id, run.session_id, run.agent_id, run.recipe, run.position, own.session_id is not null as kept
            from agent_platform.run
            join agent_platform.run_checkpoint as own on own.workspace_id = run.workspace_id and own.run_id = run.id
            where run.id = any(${uuids(runIds)})
          ), spent as (
            select workspace_id, id from ended where not kept
            union
            select before.workspace_id, before.id from ended
            join agent_platform.run_checkpoint as older
              on older.workspace_id = ended.workspace_id and older.session_id = ended.session_id
            join agent_platform.run as before on before.workspace_id = older.workspace_id and before.id = older.run_id
            where ended.kept and before.agent_id = ended.agent_id and before.recipe = ended.recipe
              and before.position < ended.position
          )
          delete from agent_platform.run_checkpoint using spent
          join agent_platform.run as asking on asking.workspace_id = spent.workspace_id and asking.id = spent.id
          left join agent_platform.run as answering
            on answering.workspace_id = asking.workspace_id and answering.id = asking.resumed_by_run_id
          where run_checkpoint.workspace_id = spent.workspace_id and run_checkpoint.run_id = spent.id
            and not (
              asking.paused and asking.question_cancelled_at is null
              and (answering.id is null or answering.status in ('queued', 'running'))
            )
        `.pipe(Effect.orDie, Effect.asVoid)
}))
