import type { RunId, RunSettlement, SessionId } from "@agent-platform/runs"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { texts, uuids } from "../columns.ts"
import { integer, nullable, uuid } from "../columnTypes.ts"
import type { Row } from "../table.ts"
import { insertEvents } from "./insertEvents.ts"
import { runFence } from "./runClaims.ts"
import { runTable } from "./runTable.ts"

type Store = RunSettlement["Service"]

/** The columns of a run that may be written without its claim. */
const heldTable = runTable.pick("id", "cancelRequestedAt", "costUsd", "usage")

/** The columns that execution changes. */
const changedTable = runTable.pick(
  "status",
  "paused",
  "message",
  "interrupt",
  "interruptTruncated",
  "result",
  "error",
  "errorCode",
  "finishReason",
  "handBacks",
  "startedAt",
  "finishedAt",
  "cancelRequestedAt"
)

const settledTable = changedTable.with({ id: uuid<RunId>(), claimToken: nullable(uuid()), logged: integer() })

/**
 * `RunSettlement.hold`: locks sessions before their runs and always in the same order, so that two writers cannot deadlock. A run
 * that joins a session at the same time is then found by `settle`, or finds that the session is free.
 */
export const hold = (sql: SqlClient.SqlClient): Store["hold"] =>
  Effect.fnUntraced(function* (claims) {
    if (claims.length === 0) return new Map()
    const rows = yield* sql<Row>`
      select ${sql.literal(heldTable.selected)}
      from (
        select * from unnest(
          ${uuids(claims.map(({ runId }) => runId))}, ${texts(claims.map(({ claimToken }) => claimToken))}::uuid[]
        ) as claim (id, claim_token) limit ${claims.length}
      ) as claim
      join agent_platform.run on ${runFence(sql, "claim")}
      join agent_platform.session on session.workspace_id = run.workspace_id and session.id = run.session_id
      order by session.id, run.id
      for no key update of session, run
    `.pipe(Effect.orDie)
    return new Map(
      rows.map((row) => {
        const { id, ...facts } = heldTable.read(row)
        return [id, facts]
      })
    )
  })

/**
 * `RunSettlement.settle`: two statements for any number of runs: one writes them with the ends of their logs, the other lets the next
 * runs of their sessions come due.
 *
 * Both must use the index of ids from the first run on, because the planner keeps the plan that it chose while the table was small. It
 * expects ten rows of a list, for which it would read a small table from end to end; with a limit that is a parameter it expects one.
 * `head` is materialized, so that no join looks for the next runs again for every run.
 */
export const settle = (sql: SqlClient.SqlClient): Store["settle"] =>
  Effect.fnUntraced(function* (settled) {
    if (settled.length === 0) return { written: new Set<RunId>(), hasDue: false }
    const logs = settled.map(({ events = [], run }) => ({ runId: run.id, events }))
    const rows = settled.map(({ claimToken, events = [], run }) => ({ ...run, claimToken, logged: events.length }))
    const written = yield* sql<{ readonly id: RunId; readonly status: string; readonly session_id: SessionId }>`
      with written as (
        update agent_platform.run set ${sql.literal(changedTable.assignedFrom("settled"))}, claim_token = null, lease_until = null, callback_until = null,
          last_seq = run.last_seq + settled.logged, changed_xid = pg_current_xact_id(),
          ended_xid = case when settled.status <> 'queued' then pg_current_xact_id() end,
          ready = settled.status = 'queued', due_at = case when settled.status = 'queued' then run.created_at end
        from (select * from (${settledTable.rowsOf(rows)}) as settled limit ${rows.length}) as settled
        where ${runFence(sql, "settled")}
        returning run.workspace_id, run.id, run.status, run.session_id, run.last_seq - settled.logged as before
      ), logged as (
        ${insertEvents(sql, "written", logs)}
      )
      select id, status, session_id from written
    `.pipe(Effect.orDie)
    const ended = written.filter((row) => row.status !== "queued")
    const next =
      ended.length === 0
        ? []
        : yield* sql`
      with head as materialized (
        select first.id
        from (
          select * from unnest(${uuids(ended.map((row) => row.session_id))}) as ended (session_id) limit ${ended.length}
        ) as ended
        cross join lateral (
          select id, status, due_at from agent_platform.run
          where session_id = ended.session_id and status in ('queued', 'running')
          order by position limit 1
        ) as first
        where first.status = 'queued' and first.due_at is null
      )
      update agent_platform.run set due_at = coalesce(run.run_at, now()), ready = coalesce(run.run_at <= now(), true)
      from head
      where run.id = head.id
      returning 1
    `.pipe(Effect.orDie)
    return {
      written: new Set(written.map((row) => row.id)),
      hasDue: next.length > 0 || ended.length < written.length
    }
  })
