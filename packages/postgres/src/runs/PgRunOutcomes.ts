import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { type AgentId, type OutcomeCount, RunOutcomes } from "@agent-platform/runs"
import { Effect } from "effect"
import { type BatchEnd, endOf, readPlace } from "../billing/places.ts"
import { readTimestamp } from "../columns.ts"
import { layerSql } from "../layerSql.ts"

interface OutcomeRow extends BatchEnd {
  readonly organization_id: OrganizationId
  readonly workspace_id: WorkspaceId
  readonly agent_id: AgentId
  readonly at: Date
  readonly succeeded: number
  readonly paused: number
  readonly failed: number
  readonly cancelled: number
}

const toCount = (row: OutcomeRow): OutcomeCount => ({
  organizationId: row.organization_id,
  workspaceId: row.workspace_id,
  agentId: row.agent_id,
  at: readTimestamp(row.at),
  succeeded: row.succeeded,
  paused: row.paused,
  failed: row.failed,
  cancelled: row.cancelled
})

/** How runs ended, in the order of `run.ended_xid`: the numbers of the transactions in which they did. */
export const layer = layerSql(RunOutcomes)((sql) => ({
  ended: Effect.fnUntraced(function* (request) {
    const { id, mark } = readPlace(request.after)
    const rows = yield* Effect.orDie(sql<OutcomeRow>`
          with batch as materialized (
            select organization_id, workspace_id, id, agent_id, status, paused, finished_at, ended_xid from agent_platform.run
            where (ended_xid, id) > (${mark}::text::xid8, ${id}::uuid)
              and ended_xid < ${String(request.before)}::text::xid8
            order by ended_xid, id limit ${request.limit}
          ), last as (
            select ended_xid::text as last_mark, workspace_id as last_owner, id as last_id,
              (select count(*)::int from batch) as batch_rows
            from batch order by batch.ended_xid desc, batch.id desc limit 1
          ), cell as (
            select organization_id, workspace_id, agent_id, date_bin('15 minutes', finished_at, 'epoch') as at,
              count(*) filter (where status = 'succeeded' and not paused)::int as succeeded,
              count(*) filter (where paused)::int as paused,
              count(*) filter (where status = 'failed')::int as failed,
              count(*) filter (where status = 'cancelled')::int as cancelled
            from batch group by 1, 2, 3, 4
          )
          select * from cell, last
        `)
    return { cells: rows.map(toCount), ...endOf(rows, request) }
  })
}))
