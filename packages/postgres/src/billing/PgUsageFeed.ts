import { UsageFeed } from "@agent-platform/billing"
import { Effect } from "effect"
import { bucketIn, distributionIn } from "../buckets.ts"
import { readTimestamp } from "../columns.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import { type BatchEnd, endOf, readPlace } from "./places.ts"
import { cellTable, summed, sumsTable } from "./rollUpTables.ts"

interface WatermarkRow {
  /** Every transaction with a lower number has ended. */
  readonly closed: string
  /** No transaction has this number yet, or a higher one. */
  readonly open: string
  /** When both were read. */
  readonly at: Date
}

/**
 * The ledger in the order of the numbers of the transactions that wrote it, summed in cells: one for a quarter of an hour, an agent, a
 * model and whose key paid. An open transaction in any database of the server holds the watermark back: readings then are older, but
 * miss nothing. Numbers begin anew when a dump is restored on another server; `RollUpStore.save` dies before rows are skipped for that.
 */
export const layer = layerSql(UsageFeed)((sql) => ({
  watermark: sql<WatermarkRow>`
        select pg_snapshot_xmin(snapshot)::text as closed, pg_snapshot_xmax(snapshot)::text as open, at
        from (select pg_current_snapshot() as snapshot, now() as at) as present
      `.pipe(
    mapRows(([row]) => ({
      closed: BigInt(row?.closed ?? "0"),
      open: BigInt(row?.open ?? "0"),
      at: readTimestamp(row?.at ?? new Date(0))
    }))
  ),

  // `batch`: the next rows. `last`: where they end, repeated in each row of the answer. `by_bucket`: the cells apart by how long the
  // first token took, so that `cell` can add these up as a distribution.
  calls: Effect.fnUntraced(function* (request) {
    const { id, mark, owner } = readPlace(request.after)
    const rows = yield* Effect.orDie(sql<Row & BatchEnd>`
          with batch as materialized (
            select * from agent_platform.model_call
            where (recorded_xid, workspace_id, id) > (${mark}::text::xid8, ${owner}::uuid, ${id}::uuid)
              and recorded_xid < ${String(request.before)}::text::xid8
            order by recorded_xid, workspace_id, id limit ${request.limit}
          ), last as (
            select recorded_xid::text as last_mark, workspace_id as last_owner, id as last_id,
              (select count(*)::int from batch) as batch_rows
            from batch order by batch.recorded_xid desc, batch.workspace_id desc, batch.id desc limit 1
          ), by_bucket as (
            select organization_id, workspace_id, date_bin('15 minutes', called_at, 'epoch') as at, agent_id, provider,
              request_model as model, key_source, ${bucketIn(sql, "time_to_first_token_ms")} as bucket, count(*) as requests,
              count(*) filter (where cost_usd is null) as unpriced_requests, sum(input_tokens) as input_tokens,
              sum(cache_read_tokens) as cache_read_tokens, sum(cache_write_tokens) as cache_write_tokens,
              sum(output_tokens) as output_tokens, sum(reasoning_tokens) as reasoning_tokens,
              coalesce(sum(cost_usd), 0) as cost_usd
            from batch group by 1, 2, 3, 4, 5, 6, 7, 8
          ), cell as (
            select organization_id, workspace_id, at, agent_id, provider, model, key_source,
              ${sql.literal(sumsTable.each(summed))}, ${sql.literal(distributionIn("requests"))} as first_token
            from by_bucket group by 1, 2, 3, 4, 5, 6, 7
          )
          select * from cell, last
        `)
    return { cells: cellTable.readAll(rows), ...endOf(rows, request) }
  }),

  // The same parts; a correction adds no request and no tokens, only the difference of its cost.
  corrections: Effect.fnUntraced(function* (request) {
    const { id, mark, owner } = readPlace(request.after)
    const rows = yield* Effect.orDie(sql<Row & BatchEnd>`
          with batch as materialized (
            select * from agent_platform.usage_correction
            where (recorded_xid, workspace_id, id) > (${mark}::text::xid8, ${owner}::uuid, ${id}::uuid)
              and recorded_xid < ${String(request.before)}::text::xid8
            order by recorded_xid, workspace_id, id limit ${request.limit}
          ), last as (
            select recorded_xid::text as last_mark, workspace_id as last_owner, id as last_id,
              (select count(*)::int from batch) as batch_rows
            from batch order by batch.recorded_xid desc, batch.workspace_id desc, batch.id desc limit 1
          ), cell as (
            select organization_id, workspace_id, date_bin('15 minutes', called_at, 'epoch') as at, agent_id, provider,
              request_model as model, key_source, 0::bigint as requests,
              - count(*) filter (where was_unpriced) as unpriced_requests, 0::bigint as input_tokens,
              0::bigint as cache_read_tokens, 0::bigint as cache_write_tokens, 0::bigint as output_tokens,
              0::bigint as reasoning_tokens, sum(delta_usd)::text as cost_usd, '{}'::json as first_token
            from batch group by 1, 2, 3, 4, 5, 6, 7
          )
          select * from cell, last
        `)
    return { cells: cellTable.readAll(rows), ...endOf(rows, request) }
  })
}))
