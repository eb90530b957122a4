import { type RunId, SessionRuns } from "@agent-platform/runs"
import { timestamp } from "../columns.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import { IS_WAITING } from "./questions.ts"
import { runTable } from "./runTable.ts"
import { readStandings } from "./standings.ts"

/** The runs of sessions in the table `run`. */
export const layer = layerSql(SessionRuns)((sql) => {
  const columns = sql.literal(runTable.selected)
  const isOpen = sql.literal(IS_WAITING)
  return {
    countUnfinished: (sessionId) =>
      sql<{ readonly queued: number; readonly running: number }>`
          select count(*) filter (where status = 'queued')::int as queued,
            count(*) filter (where status = 'running')::int as running
          from agent_platform.run where session_id = ${sessionId} and status in ('queued', 'running')
        `.pipe(mapRows(([row]) => ({ queued: row?.queued ?? 0, running: row?.running ?? 0 }))),

    latest: (sessionId) =>
      sql<Row>`select ${columns} from agent_platform.run where session_id = ${sessionId} order by position desc limit 1`.pipe(
        mapRows(runTable.readFirst)
      ),

    // It waits for a concurrent claim of one of the runs, and then reads that run as claimed.
    holdUnfinished: (sessionId, max, before) =>
      sql<Row & { readonly claim_token: string | null }>`
          select ${columns}, run.claim_token from agent_platform.run
          where run.session_id = ${sessionId} and run.status in ('queued', 'running')
            ${before === undefined ? sql.literal("") : sql`and run.position < (select position from agent_platform.run where id = ${before})`}
          order by run.position desc limit ${max} for no key update
        `.pipe(
        mapRows((rows) => rows.map((row) => ({ run: runTable.read(row), claimToken: row.claim_token })).reverse())
      ),

    openQuestion: (sessionId) =>
      sql<Row>`
          select ${columns} from agent_platform.run where session_id = ${sessionId} and ${isOpen} order by position desc limit 1
        `.pipe(mapRows(runTable.readFirst)),

    standings: readStandings(sql),

    answer: (id, resumedBy) =>
      sql`update agent_platform.run set resumed_by_run_id = ${resumedBy}, changed_xid = pg_current_xact_id() where id = ${id} and ${isOpen} returning 1`.pipe(
        mapRows((rows) => rows.length > 0)
      ),

    cancelQuestions: (sessionId, now) =>
      sql<{ readonly id: RunId }>`
          update agent_platform.run set question_cancelled_at = ${timestamp(now)}, changed_xid = pg_current_xact_id()
          where session_id = ${sessionId} and ${isOpen} returning id
        `.pipe(mapRows((rows) => rows.map((row) => row.id))),

    remind: ({ askedBefore, max }) =>
      sql<Row>`
          update agent_platform.run set question_reminded = true
          where id in (
            select id from agent_platform.run
            where ${isOpen} and not question_reminded and finished_at < ${timestamp(askedBefore)}
            order by finished_at limit ${max} for no key update skip locked
          )
          returning ${columns}
        `.pipe(mapRows(runTable.readAll))
  }
})
