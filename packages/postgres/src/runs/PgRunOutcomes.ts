import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { type AgentId, type OutcomeCount, RunOutcomes } from "@agent-platform/runs"
import { Effect } from "effect"
import { type BatchEnd, endOf, readPlace } from "../billing/places.ts"
import { bucketIn, distributionIn } from "../buckets.ts"
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
  readonly latency: OutcomeCount["latency"]
}

const toCount = (row: OutcomeRow): OutcomeCount => ({
  organizationId: row.organization_id,
  workspaceId: row.workspace_id,
  agentId: row.agent_id,
  at: readTimestamp(row.at),
  succeeded: row.succeeded,
  paused: row.paused,
  failed: row.failed,
  cancelled: row.cancelled,
  latency: row.latency
})

/** The milliseconds that a run took from when it could begin; null for a run that never began. */
const LATENCY = `case when started_at is not null then
  greatest(floor(extract(epoch from finished_at - greatest(created_at, run_at)) * 1000), 0) end`

/** How runs ended, in the order of `run.ended_xid`, the number of the transaction in which a run ended. */
export const layer = layerSql(RunOutcomes)((sql) => ({
  // `batch`: the next runs. `last`: where they end, repeated in each row of the answer. `by_bucket`: the cells apart by how long the runs
  // took, so that `cell` can add these up as a distribution.
  countEnded: Effect.fnUntraced(function* (request) {
    const { id, mark } = readPlace(request.after)
    const rows = yield* Effect.orDie(sql<OutcomeRow>`
          with batch as materialized (
            select organization_id, workspace_id, id, agent_id, status, paused, created_at, run_at, started_at, finished_at, ended_xid
            from agent_platform.run
            where (ended_xid, id) > (${mark}::text::xid8, ${id}::uuid)
              and ended_xid < ${String(request.before)}::text::xid8
            order by ended_xid, id limit ${request.limit}
          ), last as (
            select ended_xid::text as last_mark, workspace_id as last_owner, id as last_id,
              (select count(*)::int from batch) as batch_rows
            from batch order by batch.ended_xid desc, batch.id desc limit 1
          ), by_bucket as (
            select organization_id, workspace_id, agent_id, date_bin('15 minutes', finished_at, 'epoch') as at,
              ${bucketIn(sql, LATENCY)} as bucket, count(*) as ended,
              count(*) filter (where status = 'succeeded' and not paused)::int as succeeded,
              count(*) filter (where paused)::int as paused,
              count(*) filter (where status = 'failed')::int as failed,
              count(*) filter (where status = 'cancelled')::int as cancelled
            from batch group by 1, 2, 3, 4, 5
          ), cell as (
            select organization_id, workspace_id, agent_id, at, sum(succeeded)::int as succeeded, sum(paused)::int as paused,
              sum(failed)::int as failed, sum(cancelled)::int as cancelled, ${sql.literal(distributionIn("ended"))} as latency
            from by_bucket group by 1, 2, 3, 4
          )
          select * from cell, last
        `)
    return { cells: rows.map(toCount), ...endOf(rows, request) }
  })
}))
