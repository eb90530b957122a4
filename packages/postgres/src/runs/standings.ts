import {
  OPENING_LENGTH_MAX,
  type Run,
  type SessionId,
  type SessionRuns,
  type SessionStanding
} from "@agent-platform/runs"
import { DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { uuids } from "../columns.ts"
import { mapRows } from "../mapRows.ts"
import { IS_WAITING } from "./questions.ts"

interface StandingRow {
  readonly session_id: SessionId
  readonly queued: number
  readonly running: number
  readonly id: Run["id"]
  readonly status: Run["status"]
  readonly paused: boolean
  readonly question_id: Run["id"] | null
  readonly question: string | null
  readonly asked_at: number | null
}

const toStanding = (row: StandingRow): SessionStanding => ({
  unfinished: { queued: row.queued, running: row.running },
  latest: { id: row.id, status: row.status, paused: row.paused },
  question:
    row.question_id === null || row.asked_at === null
      ? undefined
      : { id: row.question_id, message: row.question, askedAt: DateTime.makeUnsafe(row.asked_at) }
})

/** `SessionRuns.standings`: for each session a look-up in `run_unfinished`, `run_position` and `run_open_question`. */
export const readStandings =
  (sql: SqlClient.SqlClient): SessionRuns["Service"]["standings"] =>
  (sessionIds) =>
    sessionIds.length === 0
      ? Effect.succeed(new Map())
      : sql<StandingRow>`
          select asked.session_id, unfinished.queued, unfinished.running, latest.id, latest.status, latest.paused,
            question.id as question_id, question.message as question, question.asked_at
          from unnest(${uuids(sessionIds)}) as asked (session_id)
          cross join lateral (
            select count(*) filter (where status = 'queued')::int as queued,
              count(*) filter (where status = 'running')::int as running
            from agent_platform.run
            where run.session_id = asked.session_id and run.status in ('queued', 'running')
          ) as unfinished
          cross join lateral (
            select id, status, paused from agent_platform.run
            where run.session_id = asked.session_id order by position desc limit 1
          ) as latest
          left join lateral (
            select id, left(message, ${OPENING_LENGTH_MAX}::int) as message,
              (extract(epoch from coalesce(finished_at, created_at)) * 1000)::float8 as asked_at
            from agent_platform.run
            where run.session_id = asked.session_id and ${sql.literal(IS_WAITING)} order by position desc limit 1
          ) as question on true
        `.pipe(mapRows((rows) => new Map(rows.map((row) => [row.session_id, toStanding(row)]))))
