import type { RunId, RunStore } from "@agent-platform/runs"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { readNullableTimestamp, timestamp } from "../columns.ts"
import type { Row } from "../table.ts"
import { runTable } from "./runTable.ts"

type Store = RunStore["Service"]

/** What `RunStore` knows of a session's runs: those that have not ended, and the questions that others ended on. */
export const ofSession = (
  sql: SqlClient.SqlClient
): Pick<
  Store,
  | "isBusy"
  | "countUnfinished"
  | "latest"
  | "holdUnfinished"
  | "requestCancel"
  | "openQuestion"
  | "answer"
  | "cancelQuestions"
> => {
  const columns = sql.literal(runTable.selected)
  const isOpen = sql.literal("paused and resumed_by_run_id is null and question_cancelled_at is null")
  return {
    isBusy: (sessionId) =>
      sql<{ readonly busy: boolean }>`
        select exists (
          select 1 from run where session_id = ${sessionId} and status in ('queued', 'running')
        ) as busy
      `.pipe(
        Effect.orDie,
        Effect.map(([row]) => row?.busy === true)
      ),

    countUnfinished: (sessionId) =>
      sql<{ readonly queued: number; readonly running: number }>`
        select count(*) filter (where status = 'queued')::int as queued,
          count(*) filter (where status = 'running')::int as running
        from run where session_id = ${sessionId} and status in ('queued', 'running')
      `.pipe(
        Effect.orDie,
        Effect.map(([row]) => ({ queued: row?.queued ?? 0, running: row?.running ?? 0 }))
      ),

    latest: (sessionId) =>
      sql<Row>`select ${columns} from run where session_id = ${sessionId} order by position desc limit 1`.pipe(
        Effect.orDie,
        Effect.map(([row]) => row && runTable.read(row))
      ),

    // It waits for whoever claims one of them at this moment, and then has it as claimed.
    holdUnfinished: (sessionId, max, before) =>
      sql<Row & { readonly claim_token: string | null }>`
        select ${columns}, run.claim_token from run
        where run.session_id = ${sessionId} and run.status in ('queued', 'running')
          ${before === undefined ? sql.literal("") : sql`and run.position < (select position from run where id = ${before})`}
        order by run.position desc limit ${max} for no key update
      `.pipe(
        Effect.orDie,
        Effect.map((rows) => rows.map((row) => ({ run: runTable.read(row), claimToken: row.claim_token })).reverse())
      ),

    requestCancel: (id) =>
      sql<{ readonly cancel_requested_at: Date | null }>`
        update run
        set cancel_requested_at = coalesce(cancel_requested_at, date_trunc('milliseconds', clock_timestamp()))
        where id = ${id} and status = 'running' returning cancel_requested_at
      `.pipe(
        Effect.orDie,
        Effect.map(([row]) => readNullableTimestamp(row?.cancel_requested_at ?? null) ?? undefined)
      ),

    openQuestion: (sessionId) =>
      sql<Row>`
        select ${columns} from run where session_id = ${sessionId} and ${isOpen} order by position desc limit 1
      `.pipe(
        Effect.orDie,
        Effect.map(([row]) => row && runTable.read(row))
      ),

    answer: (id, resumedBy) =>
      sql`update run set resumed_by_run_id = ${resumedBy} where id = ${id} and ${isOpen} returning 1`.pipe(
        Effect.orDie,
        Effect.map((rows) => rows.length > 0)
      ),

    cancelQuestions: (sessionId, now) =>
      sql<{ readonly id: RunId }>`
        update run set question_cancelled_at = ${timestamp(now)}
        where session_id = ${sessionId} and ${isOpen} returning id
      `.pipe(
        Effect.orDie,
        Effect.map((rows) => rows.map((row) => row.id))
      )
  }
}
