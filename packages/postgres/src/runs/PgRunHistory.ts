import { firstIdAt } from "@agent-platform/kernel"
import { RunHistory, type RunId, type SessionId } from "@agent-platform/runs"
import { type DateTime, Effect } from "effect"
import { timestamp, uuids } from "../columns.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import { compressLogs } from "./compressLogs.ts"

interface OldRun {
  readonly id: RunId
  readonly session_id: SessionId
}

/** Old runs, with their logs and sessions, in the tables `run`, `run_event`, `compressed_log` and `session`. */
export const layer = layerSql(RunHistory)((sql) => {
  const triggered = (before: DateTime.Utc, after: RunId | undefined) =>
    sql`id < ${firstIdAt(before)} ${after === undefined ? sql.literal("") : sql`and id > ${after}`}`

  return {
    count: ({ after, before }) =>
      sql<{ readonly count: string }>`
          select count(*) from agent_platform.run where ${triggered(before, after)}
        `.pipe(mapRows(([row]) => Number(row?.count ?? 0))),

    // A session goes as a whole, once all of its runs have ended before that time.
    forget: Effect.fnUntraced(function* ({ after, before, limit, workspaceId }) {
      const old = yield* Effect.orDie(sql<OldRun>`
          select id, session_id from agent_platform.run
          where ${triggered(before, after)} ${workspaceId === undefined ? sql.literal("") : sql`and workspace_id = ${workspaceId}`}
          order by id limit ${limit}
        `)
      if (old.length === 0) return { ids: [], runs: 0, sessions: 0, kept: 0, last: undefined }
      const last = old.at(-1)?.id
      const named = uuids([...new Set(old.map((run) => run.session_id))])
      const held = yield* Effect.orDie(sql<{ readonly id: SessionId }>`
          select session.id from agent_platform.session
          join (select distinct workspace_id, session_id from agent_platform.run where session_id = any(${named})) as named
            on named.workspace_id = session.workspace_id and named.session_id = session.id
          order by session.id for update of session skip locked
        `)
      // A second statement, because its snapshot has the runs that joined the sessions before they were locked.
      const over = yield* Effect.orDie(sql<{ readonly id: SessionId }>`
          select session_id as id from agent_platform.run where session_id = any(${uuids(held.map(({ id }) => id))})
          group by session_id having bool_and(finished_at is not null and finished_at < ${timestamp(before)})
        `)
      if (over.length === 0) return { ids: [], runs: 0, sessions: 0, kept: old.length, last }
      const sessions = uuids(over.map(({ id }) => id))
      yield* Effect.orDie(sql`
          delete from agent_platform.run_event where run_id in (select id from agent_platform.run where session_id = any(${sessions}))
        `)
      const runs = yield* Effect.orDie(sql<{ readonly id: RunId; readonly workspace_id: string }>`
          delete from agent_platform.run where session_id = any(${sessions}) returning id, workspace_id
        `)
      const workspaces = uuids([...new Set(runs.map((run) => run.workspace_id))])
      yield* Effect.orDie(sql`
          delete from agent_platform.session where workspace_id = any(${workspaces}) and id = any(${sessions})
        `)
      const gone = new Set(over.map(({ id }) => id))
      const kept = old.filter((run) => !gone.has(run.session_id)).length
      return { ids: runs.map(({ id }) => id), runs: runs.length, sessions: over.length, kept, last }
    }),

    compress: compressLogs(sql)
  }
})
