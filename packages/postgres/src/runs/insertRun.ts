import type { Run, RunStore } from "@agent-platform/runs"
import { Effect, type Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { integers, jsonb, nullableTimestamp, texts, timestamp, timestamps } from "../columns.ts"
import { posted } from "../pipelined.ts"

const nullableJson = (value: Schema.Json) => (value === null ? null : jsonb(value))

/** What every column of a new run holds, but for what follows from its place in the line. */
const COLUMNS: Readonly<Record<string, (run: Run) => unknown>> = {
  organization_id: (run) => run.organizationId,
  workspace_id: (run) => run.workspaceId,
  id: (run) => run.id,
  session_id: (run) => run.sessionId,
  status: (run) => run.status,
  run_at: (run) => nullableTimestamp(run.runAt),
  agent_id: (run) => run.agentId,
  recipe: (run) => run.recipe,
  paused: (run) => run.paused,
  prompt: (run) => run.prompt,
  input: (run) => nullableJson(run.input),
  message: (run) => run.message,
  interrupt: (run) => nullableJson(run.interrupt),
  interrupt_truncated: (run) => run.interruptTruncated,
  result: (run) => nullableJson(run.result),
  error: (run) => run.error,
  error_code: (run) => run.errorCode,
  attempt: (run) => run.attempt,
  max_attempts: (run) => run.maxAttempts,
  max_duration_seconds: (run) => run.maxDurationSeconds,
  max_cost_usd: (run) => run.maxCostUsd,
  priority: (run) => run.priority,
  trigger_type: (run) => run.trigger.type,
  trigger_id: (run) => run.trigger.id,
  resumes_run_id: (run) => run.resumesRunId,
  resumed_by_run_id: (run) => run.resumedByRunId,
  question_cancelled_at: (run) => nullableTimestamp(run.questionCancelledAt),
  created_at: (run) => timestamp(run.createdAt),
  expires_at: (run) => nullableTimestamp(run.expiresAt),
  started_at: (run) => nullableTimestamp(run.startedAt),
  finished_at: (run) => nullableTimestamp(run.finishedAt),
  cancel_requested_at: (run) => nullableTimestamp(run.cancelRequestedAt),
  cost_usd: (run) => run.costUsd,
  requests: (run) => run.usage.requests,
  input_tokens: (run) => run.usage.inputTokens,
  cache_read_tokens: (run) => run.usage.cacheReadTokens,
  cache_write_tokens: (run) => run.usage.cacheWriteTokens,
  output_tokens: (run) => run.usage.outputTokens,
  reasoning_tokens: (run) => run.usage.reasoningTokens,
  metadata: (run) => jsonb(run.metadata),
  tags: (run) => texts(run.tags),
  trace: (run) => run.trace
}

const NAMES = Object.keys(COLUMNS)
const VALUES = Object.values(COLUMNS)
const parameter = (index: number) => `$${index + 1}`
const of = (name: string) => parameter(NAMES.indexOf(name))
const [TYPES, TIMES, ATTEMPTS, DATA] = [0, 1, 2, 3].map((index) => parameter(NAMES.length + index))

// A run that names its columns and its values costs Postgres half of one that is made of JSON.
const INSERT = `
  with place as (
    update session set last_position = last_position + 1
    where workspace_id = ${of("workspace_id")} and id = ${of("session_id")}
    returning last_position as position, not exists (
      select 1 from run where session_id = ${of("session_id")} and status in ('queued', 'running')
    ) as is_first
  ), line as (
    select position,
      case when is_first and ${of("status")}::text = 'queued' then coalesce(${of("run_at")}::timestamptz, now()) end as due_at
    from place
  ), logged as (
    insert into run_event (workspace_id, run_id, session_id, seq, type, created_at, attempt, data)
    select ${of("workspace_id")}, ${of("id")}, ${of("session_id")}, seq, type, created_at, attempt, data::jsonb
    from unnest(${TYPES}::text[], ${TIMES}::timestamptz[], ${ATTEMPTS}::int[], ${DATA}::text[])
      with ordinality as event (type, created_at, attempt, data, seq)
    returning seq
  )
  insert into run (${NAMES.join(", ")}, last_seq, position, due_at, ready)
  values (${NAMES.map((_, index) => parameter(index)).join(", ")}, cardinality(${TYPES}::text[]),
    (select position from line), (select due_at from line), coalesce((select due_at <= now() from line), false))`

/** `RunStore.insert`: the place in the line, the run and the beginning of its log, by one statement. */
export const insertRun =
  (sql: SqlClient.SqlClient): RunStore["Service"]["insert"] =>
  (run, events = []) => {
    const values = [
      ...VALUES.map((valueIn) => valueIn(run)),
      texts(events.map((event) => event.type)),
      timestamps(events.map((event) => event.createdAt)),
      integers(events.map((event) => event.attempt)),
      texts(events.map((event) => JSON.stringify(event.data)))
    ]
    return Effect.orDie(posted(sql, sql.unsafe(INSERT, values)))
  }
