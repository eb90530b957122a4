import type { Run, RunId, RunStore, SessionId } from "@agent-platform/runs"
import { DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { jsonb, readNullableTimestamp, texts, uuids } from "../columns.ts"
import { type CostRow, costOf } from "./runRow.ts"

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
  cancel_requested_at: iso(run.cancelRequestedAt)
})

type Store = RunStore["Service"]

type HeldRow = CostRow & { readonly id: RunId; readonly cancel_requested_at: Date | null }

/**
 * `RunStore.hold`: sessions before their runs and always in the same order, so that two writers never wait for each
 * other. A run that joins a session meanwhile is then seen by `settle`, or sees that the session is free.
 */
export const hold = (sql: SqlClient.SqlClient): Store["hold"] =>
  Effect.fnUntraced(function* (claims) {
    if (claims.length === 0) return new Map()
    const rows = yield* sql<HeldRow>`
      select run.id, run.cancel_requested_at, run.cost_usd, run.requests, run.input_tokens, run.cache_read_tokens,
        run.cache_write_tokens, run.output_tokens, run.reasoning_tokens
      from unnest(
        ${uuids(claims.map(({ runId }) => runId))}, ${texts(claims.map(({ claimToken }) => claimToken))}::uuid[]
      ) as claim (id, token)
      join run on run.id = claim.id
      join session on session.workspace_id = run.workspace_id and session.id = run.session_id
      where run.claim_token is not distinct from claim.token
        and run.status = case when claim.token is null then 'queued' else 'running' end
      order by session.id, run.id
      for no key update of session, run
    `.pipe(Effect.orDie)
    return new Map(
      rows.map((row) => [row.id, { cancelRequestedAt: readNullableTimestamp(row.cancel_requested_at), ...costOf(row) }])
    )
  })

/** `RunStore.settle`: two statements, however many runs. */
export const settle = (sql: SqlClient.SqlClient): Store["settle"] =>
  Effect.fnUntraced(function* (settled) {
    if (settled.length === 0) return { written: new Set<RunId>(), hasDue: false }
    const written = yield* sql<{ readonly id: RunId; readonly status: string; readonly session_id: SessionId }>`
      update run set
        status = change.status, paused = change.paused, message = change.message, interrupt = change.interrupt,
        interrupt_truncated = change.interrupt_truncated, result = change.result, error = change.error,
        error_code = change.error_code, attempt = change.attempt, started_at = change.started_at,
        finished_at = change.finished_at, cancel_requested_at = change.cancel_requested_at, claim_token = null, lease_until = null,
        ended_xid = case when change.status <> 'queued' then pg_current_xact_id() end,
        ready = change.status = 'queued', due_at = case when change.status = 'queued' then run.created_at end
      from jsonb_to_recordset(${jsonb(settled.map(({ claimToken, run }) => changes(run, claimToken)))}) as change (
        id uuid, token uuid, status text, paused boolean, message text, interrupt jsonb, interrupt_truncated boolean,
        result jsonb, error text, error_code text, attempt integer, started_at timestamptz, finished_at timestamptz,
        cancel_requested_at timestamptz
      )
      where run.id = change.id and run.claim_token is not distinct from change.token
        and run.status = case when change.token is null then 'queued' else 'running' end
      returning run.id, run.status, run.session_id
    `.pipe(Effect.orDie)
    const ended = written.filter((row) => row.status !== "queued")
    const next =
      ended.length === 0
        ? []
        : yield* sql`
      update run set due_at = coalesce(run.run_at, now()), ready = coalesce(run.run_at <= now(), true)
      from (
        select distinct on (session_id) id, status from run
        where session_id = any(${uuids(ended.map((row) => row.session_id))}) and status in ('queued', 'running')
        order by session_id, position
      ) as head
      where run.id = head.id and head.status = 'queued' and run.due_at is null
      returning 1
    `.pipe(Effect.orDie)
    return {
      written: new Set(written.map((row) => row.id)),
      hasDue: next.length > 0 || ended.length < written.length
    }
  })
