import { isTerminal, type Run, type RunStore } from "@agent-platform/runs"
import { DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { jsonb, uuids } from "../columns.ts"
import { RUN_COLUMNS, type RunRow, toRun } from "./runRow.ts"

const iso = (at: DateTime.Utc | null): string | null => (at === null ? null : DateTime.formatIso(at))

/** What execution changes about a run, as a member of the list that `jsonb_to_recordset` opens. */
const changes = (run: Run, claimToken: string | null) => ({
  id: run.id,
  token: claimToken,
  status: run.status,
  paused: run.paused,
  message: run.message,
  interrupt: run.interrupt,
  interrupt_truncated: run.interruptTruncated,
  result: run.result,
  error: run.error,
  error_code: run.errorCode,
  attempt: run.attempt,
  started_at: iso(run.startedAt),
  finished_at: iso(run.finishedAt),
  cost_usd: run.costUsd,
  requests: run.usage.requests,
  input_tokens: run.usage.inputTokens,
  cache_read_tokens: run.usage.cacheReadTokens,
  cache_write_tokens: run.usage.cacheWriteTokens,
  output_tokens: run.usage.outputTokens,
  reasoning_tokens: run.usage.reasoningTokens
})

/** `RunStore.settle`: three statements, however many runs. */
export const settle = (sql: SqlClient.SqlClient): RunStore["Service"]["settle"] =>
  Effect.fnUntraced(function* (settled) {
    if (settled.length === 0) return []
    const runs = settled.map(({ run }) => run)
    // Held so that a run which joins a session meanwhile is seen here, or sees that the session is free. Always in
    // the same order, so that two writers never wait for each other.
    yield* sql`
      select 1 from session
      join unnest(${uuids(runs.map((run) => run.workspaceId))}, ${uuids(runs.map((run) => run.sessionId))})
        as held (workspace_id, id) using (workspace_id, id)
      order by session.id for no key update of session
    `.pipe(Effect.orDie)
    const written = yield* sql<{ readonly id: string }>`
      update run set
        status = change.status, paused = change.paused, message = change.message, interrupt = change.interrupt,
        interrupt_truncated = change.interrupt_truncated, result = change.result, error = change.error,
        error_code = change.error_code, attempt = change.attempt, started_at = change.started_at,
        finished_at = change.finished_at, cost_usd = change.cost_usd, requests = change.requests,
        input_tokens = change.input_tokens, cache_read_tokens = change.cache_read_tokens,
        cache_write_tokens = change.cache_write_tokens, output_tokens = change.output_tokens,
        reasoning_tokens = change.reasoning_tokens, claim_token = null, lease_until = null
      from jsonb_to_recordset(${jsonb(settled.map(({ claimToken, run }) => changes(run, claimToken)))}) as change (
        id uuid, token uuid, status text, paused boolean, message text, interrupt jsonb, interrupt_truncated boolean,
        result jsonb, error text, error_code text, attempt integer, started_at timestamptz, finished_at timestamptz,
        cost_usd numeric, requests integer, input_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint,
        output_tokens bigint, reasoning_tokens bigint
      )
      where run.id = change.id and run.claim_token is not distinct from change.token
        and run.status = case when change.token is null then 'queued' else 'running' end
      returning run.id
    `.pipe(Effect.orDie)
    const ids = new Set(written.map((row) => row.id))
    const sessions = runs.filter((run) => ids.has(run.id) && isTerminal(run)).map((run) => run.sessionId)
    const waiting =
      sessions.length === 0
        ? []
        : yield* sql<RunRow>`
      select distinct on (run.session_id) ${sql.literal(RUN_COLUMNS)} from run
      where run.session_id = any(${uuids(sessions)}) and run.status in ('queued', 'running')
      order by run.session_id, run.id
    `.pipe(Effect.orDie)
    const next = new Map(
      waiting.filter((row) => row.status === "queued").map((row) => [row.session_id as string, toRun(row)])
    )
    return runs.filter((run) => ids.has(run.id)).map((run) => ({ run, next: next.get(run.sessionId) }))
  })
