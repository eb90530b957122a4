import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import type { AgentId, Run, RunErrorCode, RunId, RunStatus, RunTrigger, SessionId } from "@agent-platform/runs"
import type { Schema } from "effect"
import { readNullableTimestamp, readTimestamp } from "../columns.ts"
import { readMoney, readNullableMoney } from "../money.ts"

/** What a row of `run` says about what the run costs. */
export interface CostRow {
  readonly cost_usd: string
  readonly requests: number
  readonly input_tokens: bigint
  readonly cache_read_tokens: bigint
  readonly cache_write_tokens: bigint
  readonly output_tokens: bigint
  readonly reasoning_tokens: bigint
}

/** What a row of `run` says about the run itself. */
export interface RunRow extends CostRow {
  readonly organization_id: OrganizationId
  readonly workspace_id: WorkspaceId
  readonly id: RunId
  readonly session_id: SessionId
  readonly agent_id: AgentId
  readonly recipe: string
  readonly status: RunStatus
  readonly paused: boolean
  readonly prompt: string | null
  readonly input: Schema.Json
  readonly message: string | null
  readonly interrupt: Schema.Json
  readonly interrupt_truncated: boolean
  readonly result: Schema.Json
  readonly error: string | null
  readonly error_code: RunErrorCode | null
  readonly attempt: number
  readonly max_attempts: number
  readonly max_duration_seconds: number
  readonly max_cost_usd: string | null
  readonly priority: number
  readonly trigger_type: RunTrigger["type"]
  readonly trigger_id: string | null
  readonly resumes_run_id: RunId | null
  readonly resumed_by_run_id: RunId | null
  readonly question_cancelled_at: Date | null
  readonly created_at: Date
  readonly run_at: Date | null
  readonly expires_at: Date | null
  readonly started_at: Date | null
  readonly finished_at: Date | null
  readonly cancel_requested_at: Date | null
  readonly metadata: Readonly<Record<string, string>>
  readonly tags: ReadonlyArray<string>
  readonly trace: string | null
}

/** The names of the columns of a `RunRow`, in the order of `RUN_COLUMNS`. */
export const RUN_COLUMN_NAMES = Object.keys({
  organization_id: true,
  workspace_id: true,
  id: true,
  session_id: true,
  agent_id: true,
  recipe: true,
  status: true,
  paused: true,
  prompt: true,
  input: true,
  message: true,
  interrupt: true,
  interrupt_truncated: true,
  result: true,
  error: true,
  error_code: true,
  attempt: true,
  max_attempts: true,
  max_duration_seconds: true,
  max_cost_usd: true,
  priority: true,
  trigger_type: true,
  trigger_id: true,
  resumes_run_id: true,
  resumed_by_run_id: true,
  question_cancelled_at: true,
  created_at: true,
  run_at: true,
  expires_at: true,
  started_at: true,
  finished_at: true,
  cancel_requested_at: true,
  cost_usd: true,
  requests: true,
  input_tokens: true,
  cache_read_tokens: true,
  cache_write_tokens: true,
  output_tokens: true,
  reasoning_tokens: true,
  metadata: true,
  tags: true,
  trace: true
} satisfies Record<keyof RunRow, true>) as ReadonlyArray<keyof RunRow>

/** The columns of a `RunRow`. */
export const RUN_COLUMNS = RUN_COLUMN_NAMES.map((name) => `run.${name}`).join(", ")

/** What the run in a row costs by now. */
export const costOf = (row: CostRow): Pick<Run, "costUsd" | "usage"> => ({
  costUsd: readMoney(row.cost_usd),
  usage: {
    requests: row.requests,
    inputTokens: Number(row.input_tokens),
    cacheReadTokens: Number(row.cache_read_tokens),
    cacheWriteTokens: Number(row.cache_write_tokens),
    outputTokens: Number(row.output_tokens),
    reasoningTokens: Number(row.reasoning_tokens)
  }
})

/** The run in a row. */
export const toRun = (row: RunRow): Run => {
  const { costUsd, usage } = costOf(row)
  return {
    id: row.id,
    organizationId: row.organization_id,
    workspaceId: row.workspace_id,
    sessionId: row.session_id,
    agentId: row.agent_id,
    recipe: row.recipe,
    status: row.status,
    paused: row.paused,
    prompt: row.prompt,
    input: row.input,
    message: row.message,
    interrupt: row.interrupt,
    interruptTruncated: row.interrupt_truncated,
    result: row.result,
    error: row.error,
    errorCode: row.error_code,
    attempt: row.attempt,
    maxAttempts: row.max_attempts,
    maxDurationSeconds: row.max_duration_seconds,
    maxCostUsd: readNullableMoney(row.max_cost_usd),
    priority: row.priority,
    trigger: { type: row.trigger_type, id: row.trigger_id },
    resumesRunId: row.resumes_run_id,
    resumedByRunId: row.resumed_by_run_id,
    questionCancelledAt: readNullableTimestamp(row.question_cancelled_at),
    createdAt: readTimestamp(row.created_at),
    runAt: readNullableTimestamp(row.run_at),
    expiresAt: readNullableTimestamp(row.expires_at),
    startedAt: readNullableTimestamp(row.started_at),
    finishedAt: readNullableTimestamp(row.finished_at),
    cancelRequestedAt: readNullableTimestamp(row.cancel_requested_at),
    costUsd,
    usage,
    metadata: row.metadata,
    tags: row.tags,
    trace: row.trace
  }
}
