import type { CallId, CallStatus, KeySource, LedgerEntry, Reservation, UsageSource } from "@agent-platform/billing"
import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { readTimestamp } from "../columns.ts"
import { readNullableMoney } from "../money.ts"

interface OriginRow {
  readonly organization_id: OrganizationId
  readonly workspace_id: WorkspaceId
  readonly id: CallId
  readonly run_id: string
  readonly session_id: string
  readonly agent_id: string
  readonly seq: number
  readonly attempt: number
  readonly provider: string
  readonly request_model: string
  readonly key_source: KeySource
  readonly key_id: string | null
  readonly price_version: string | null
  readonly called_at: Date
}

/** A row of `call_reservation`. */
export interface ReservationRow extends OriginRow {
  readonly input_tokens_max: bigint
  readonly output_tokens_max: bigint
  readonly amount_usd: string | null
  readonly period_start: Date
}

/** A row of `model_call`. */
export interface CallRow extends OriginRow {
  readonly response_model: string | null
  readonly status: CallStatus
  readonly error_code: string | null
  readonly finish_reason: string | null
  readonly started_at: Date
  readonly duration_ms: number
  readonly time_to_first_token_ms: number | null
  readonly input_tokens: bigint
  readonly cache_read_tokens: bigint
  readonly cache_write_tokens: bigint
  readonly output_tokens: bigint
  readonly reasoning_tokens: bigint
  readonly usage_source: UsageSource
  readonly cost_usd: string | null
  readonly reserved_usd: string | null
  readonly settled_at: Date
}

/** The columns of a `CallRow`. */
export const CALL_COLUMNS = `organization_id, workspace_id, id, run_id, session_id, agent_id, seq, attempt, provider,
  request_model, key_source, key_id, price_version, called_at, response_model, status, error_code, finish_reason,
  started_at, duration_ms, time_to_first_token_ms, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens,
  reasoning_tokens, usage_source, cost_usd, reserved_usd, settled_at`

const originOf = (row: OriginRow) => ({
  organizationId: row.organization_id,
  workspaceId: row.workspace_id,
  id: row.id,
  runId: row.run_id,
  sessionId: row.session_id,
  agentId: row.agent_id,
  seq: row.seq,
  attempt: row.attempt,
  provider: row.provider,
  requestModel: row.request_model,
  keySource: row.key_source,
  keyId: row.key_id,
  priceVersion: row.price_version,
  calledAt: readTimestamp(row.called_at)
})

/** The reservation in a row. */
export const toReservation = (row: ReservationRow): Reservation => ({
  ...originOf(row),
  inputTokensMax: Number(row.input_tokens_max),
  outputTokensMax: Number(row.output_tokens_max),
  amountUsd: readNullableMoney(row.amount_usd),
  periodStart: readTimestamp(row.period_start)
})

/** The call in a row of the ledger. */
export const toEntry = (row: CallRow): LedgerEntry => ({
  ...originOf(row),
  responseModel: row.response_model,
  status: row.status,
  errorCode: row.error_code,
  finishReason: row.finish_reason,
  startedAt: readTimestamp(row.started_at),
  durationMillis: row.duration_ms,
  timeToFirstTokenMillis: row.time_to_first_token_ms,
  inputTokens: Number(row.input_tokens),
  cacheReadTokens: Number(row.cache_read_tokens),
  cacheWriteTokens: Number(row.cache_write_tokens),
  outputTokens: Number(row.output_tokens),
  reasoningTokens: Number(row.reasoning_tokens),
  usageSource: row.usage_source,
  costUsd: readNullableMoney(row.cost_usd),
  reservedUsd: readNullableMoney(row.reserved_usd),
  settledAt: readTimestamp(row.settled_at)
})
