import type { RunAcceptance } from "@agent-platform/runs"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { boolean, integer } from "../columnTypes.ts"
import { posted } from "../pipelined.ts"
import { insertEvents } from "./insertEvents.ts"
import { runTable } from "./runTable.ts"

const addedTable = runTable.with({ lastSeq: integer(), beginsSession: boolean() })

/**
 * `RunAcceptance.insert`: new sessions, positions in existing ones, runs and the first events of their logs, by one statement for
 * all. A run that is first in line is due at once, or at its time. The limit on the runs that join has the planner expect one row
 * (see `settle`).
 *
 * - `begun`: the new sessions.
 * - `joined`: the next position in each existing session, and whether another run of it goes first (`is_busy`).
 * - `placed`: the runs with their positions, and with `due_at` where none goes first.
 */
export const insertRuns =
  (sql: SqlClient.SqlClient): RunAcceptance["Service"]["insert"] =>
  (added) => {
    if (added.length === 0) return Effect.void
    const rows = added.map(({ beginsSession, events, run }) => ({ ...run, beginsSession, lastSeq: events.length }))
    const logs = added.map(({ events, run }) => ({ runId: run.id, events }))
    const joining = rows.filter(({ beginsSession }) => !beginsSession).length
    const names = sql.literal(runTable.names)
    return Effect.orDie(
      posted(
        sql,
        sql`
        with added as materialized (${addedTable.rowsOf(rows)}), begun as (
          insert into agent_platform.session (organization_id, workspace_id, id, created_at, last_position)
          select organization_id, workspace_id, session_id, created_at, 1 from added where begins_session
        ), joined as (
          update agent_platform.session set last_position = session.last_position + 1
          from (select workspace_id, session_id from added where not begins_session limit ${joining}) as added
          where session.workspace_id = added.workspace_id and session.id = added.session_id
          returning session.id, session.last_position as position, exists (
            select 1 from agent_platform.run where run.session_id = session.id and run.status in ('queued', 'running')
          ) as is_busy
        ), placed as (
          select added.*, coalesce(joined.position, 1) as position,
            case when added.status = 'queued' and joined.is_busy is not true then coalesce(run_at, now()) end as due_at
          from added left join joined on joined.id = added.session_id
        ), numbered as (
          select workspace_id, id, session_id, 0 as before from added
        ), logged as (
          ${insertEvents(sql, "numbered", logs)}
        )
        insert into agent_platform.run (${names}, last_seq, position, due_at, ready)
        select ${names}, last_seq, position, due_at, coalesce(due_at <= now(), false) from placed
      `
      )
    )
  }
