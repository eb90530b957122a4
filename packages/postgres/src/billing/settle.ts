import type { CallEnd, CallId, CallLedger } from "@agent-platform/billing"
import type { WorkspaceId } from "@agent-platform/kernel"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { readTimestamp, timestamp } from "../columns.ts"
import { readNullableMoney } from "../money.ts"
import type { Row } from "../table.ts"
import { spendTable } from "./spendTable.ts"

interface SettledRow extends Row {
  /** Whether a call that did not fit under the month's cap waits for what this one frees. */
  readonly is_awaited: boolean
  readonly called_at: Date
  readonly held_usd: string | null
}

/**
 * `written`: the reservation becomes a row of the ledger, unless it has one already. `freed`: the reservation goes. `month`, then
 * `of_run`: its amount is not reserved any more and its cost is spent. They are locked in this order, as in `reserve`.
 */
const write = (sql: SqlClient.SqlClient, workspaceId: WorkspaceId, id: CallId, end: CallEnd) => sql<SettledRow>`
  with written as (
    insert into agent_platform.model_call (
      organization_id, workspace_id, id, run_id, session_id, agent_id, seq, attempt, provider, request_model,
      response_model, key_source, key_id, status, error_code, finish_reason, called_at, started_at, duration_ms,
      time_to_first_token_ms, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens,
      usage_source, cost_usd, reserved_usd, price_version, settled_at
    )
    select
      organization_id, workspace_id, id, run_id, session_id, agent_id, seq, attempt, provider, request_model,
      ${end.responseModel}::text, key_source, key_id, ${end.status}::text, ${end.errorCode}::text,
      ${end.finishReason}::text, called_at, ${timestamp(end.startedAt)}::timestamptz, ${end.durationMillis}::integer,
      ${end.timeToFirstTokenMillis}::integer, ${end.inputTokens}::bigint, ${end.cacheReadTokens}::bigint,
      ${end.cacheWriteTokens}::bigint, ${end.outputTokens}::bigint, ${end.reasoningTokens}::bigint,
      ${end.usageSource}::text, ${end.costUsd}::numeric, amount_usd, ${end.priceVersion}::text,
      ${timestamp(end.settledAt)}::timestamptz
    from agent_platform.call_reservation where workspace_id = ${workspaceId} and id = ${id}
    on conflict (workspace_id, id) do nothing
    returning workspace_id, id, run_id, coalesce(cost_usd, 0) as cost
  ), freed as (
    delete from agent_platform.call_reservation as held using written
    where held.workspace_id = written.workspace_id and held.id = written.id
    returning held.workspace_id, held.run_id, held.period_start, held.called_at, held.amount_usd,
      coalesce(held.amount_usd, 0) as amount, written.cost
  ), month as (
    update agent_platform.workspace_spend set
      spent_usd = workspace_spend.spent_usd + freed.cost,
      reserved_usd = workspace_spend.reserved_usd - freed.amount
    from freed
    where workspace_spend.workspace_id = freed.workspace_id and workspace_spend.period_start = freed.period_start
    returning ${sql.literal(spendTable.selected)}, coalesce(workspace_spend.awaited_until > clock_timestamp(), false) as is_awaited,
      freed.called_at, freed.amount_usd::text as held_usd, freed.run_id, freed.amount, freed.cost
  ), of_run as (
    update agent_platform.run_spend set
      spent_usd = run_spend.spent_usd + month.cost, reserved_usd = run_spend.reserved_usd - month.amount
    from month
    where run_spend.workspace_id = ${workspaceId} and run_spend.run_id = month.run_id
  )
  select * from month
`

/** `CallLedger.settle`: one statement, and a look at the ledger where the call was settled before. */
export const settle = (sql: SqlClient.SqlClient): CallLedger["Service"]["settle"] =>
  Effect.fnUntraced(function* (workspaceId, id, end) {
    const [row] = yield* Effect.orDie(write(sql, workspaceId, id, end))
    if (row !== undefined) {
      return {
        _tag: "Settled",
        month: spendTable.read(row),
        isAwaited: row.is_awaited,
        calledAt: readTimestamp(row.called_at),
        reservedUsd: readNullableMoney(row.held_usd)
      }
    }
    const [settled] = yield* Effect.orDie(sql<{ readonly cost_usd: string | null }>`
      select cost_usd from agent_platform.model_call where workspace_id = ${workspaceId} and id = ${id}
    `)
    return settled === undefined
      ? { _tag: "NeverReserved" }
      : { _tag: "AlreadySettled", costUsd: readNullableMoney(settled.cost_usd) }
  })
