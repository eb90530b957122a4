import type { RunEraser, SessionId } from "@agent-platform/runs"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { uuids } from "../columns.ts"

interface RemovedRun {
  readonly session_id: SessionId
}

/** How many rows of each kind were removed. */
type Removed = Readonly<Record<string, number>>

const NOTHING: Removed = {}

/**
 * `RunEraser.remove`: removes runs by their ids, with their logs and checkpoints, from sessions that the transaction has locked.
 * References between runs are dropped first. In a session that has other runs, all checkpoints go and open questions are closed, since
 * both may repeat what was said; and the first run that is left gets position 1, by which the session is listed.
 */
export const removeRuns = (sql: SqlClient.SqlClient): RunEraser["Service"]["remove"] =>
  Effect.fnUntraced(function* (workspaceId, ids) {
    if (ids.length === 0) return NOTHING
    const gone = uuids(ids)
    const entries = yield* sql<{ readonly count: number }>`
      with uncompressed as (delete from agent_platform.run_event where run_id = any(${gone}) returning 1),
      compressed as (
        delete from agent_platform.compressed_log where run_id = any(${gone}) returning last_seq - first_seq + 1 as events
      )
      select (select count(*) from uncompressed)::int + (select coalesce(sum(events), 0) from compressed)::int as count
    `
    for (const column of ["resumes_run_id", "resumed_by_run_id"]) {
      yield* sql`
        update agent_platform.run set ${sql(column)} = null
        where workspace_id = ${workspaceId} and ${sql(column)} = any(${gone})
      `
    }
    const removed = yield* sql<RemovedRun>`
      delete from agent_platform.run where workspace_id = ${workspaceId} and id = any(${gone}) returning session_id
    `
    const touched = uuids([...new Set(removed.map((run) => run.session_id))])
    const sessions = yield* sql`
      delete from agent_platform.session where workspace_id = ${workspaceId} and id = any(${touched})
        and not exists (select from agent_platform.run where run.session_id = session.id)
      returning 1
    `
    yield* sql`
      delete from agent_platform.run_checkpoint where workspace_id = ${workspaceId} and run_id in (
        select id from agent_platform.run where session_id = any(${touched})
      )
    `
    yield* sql`
      update agent_platform.run set question_cancelled_at = now()
      where session_id = any(${touched}) and paused and resumed_by_run_id is null and question_cancelled_at is null
    `
    yield* sql`
      with first as (
        select distinct on (session_id) id from agent_platform.run where session_id = any(${touched})
        order by session_id, position
      )
      update agent_platform.run set position = 1 from first where run.id = first.id and run.position <> 1
    `
    const done: Removed = { runs: removed.length, log_entries: entries[0]?.count ?? 0, sessions: sessions.length }
    return done
  }, Effect.orDie)
