import { RunSettlement } from "@agent-platform/runs"
import { Effect } from "effect"
import { leaseEnd } from "../claims.ts"
import { readNullableTimestamp } from "../columns.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import { hold, settle } from "./settle.ts"

/** Changes of runs in the table `run`, fenced by their claims. */
export const layer = layerSql(RunSettlement)((sql) => ({
  hold: hold(sql),
  settle: settle(sql),

  awaitCallback: ({ claimToken, runId }, { seconds }) =>
    sql`
          update agent_platform.run set changed_xid = pg_current_xact_id(),
            callback_until = date_trunc('milliseconds', ${leaseEnd(sql, seconds)}), lease_until = ${leaseEnd(sql, seconds)}
          where id = ${runId} and status = 'running' and claim_token = ${claimToken}::uuid returning 1
        `.pipe(mapRows((rows) => rows.length > 0)),

  requestCancel: (id) =>
    sql<{ readonly cancel_requested_at: Date | null }>`
          update agent_platform.run
          set changed_xid = pg_current_xact_id(),
            cancel_requested_at = coalesce(cancel_requested_at, date_trunc('milliseconds', clock_timestamp()))
          where id = ${id} and status = 'running' returning cancel_requested_at
        `.pipe(mapRows(([row]) => readNullableTimestamp(row?.cancel_requested_at ?? null) ?? undefined)),

  addUsage: (workspaceId, id, { costUsd, usage }) =>
    sql`
          update agent_platform.run set
            cost_usd = cost_usd + ${costUsd ?? "0"}::numeric, requests = requests + 1,
            input_tokens = input_tokens + ${usage.inputTokens}::bigint,
            cache_read_tokens = cache_read_tokens + ${usage.cacheReadTokens}::bigint,
            cache_write_tokens = cache_write_tokens + ${usage.cacheWriteTokens}::bigint,
            output_tokens = output_tokens + ${usage.outputTokens}::bigint,
            reasoning_tokens = reasoning_tokens + ${usage.reasoningTokens}::bigint
          where workspace_id = ${workspaceId} and id = ${id}
        `.pipe(Effect.orDie, Effect.asVoid)
}))
