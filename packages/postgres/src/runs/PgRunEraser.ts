import { RunEraser, type RunId, type RunSelection, type SessionId } from "@agent-platform/runs"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { readPlace } from "../billing/places.ts"
import { uuids } from "../columns.ts"
import { nullable, uuid } from "../columnTypes.ts"
import { countRows, type ErasedTable, eraserOf } from "../erasing.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import { removeRuns } from "./removeRuns.ts"
import { runTable } from "./runTable.ts"

interface FoundRun {
  readonly id: RunId
  readonly session_id: SessionId
}

const heldTable = runTable.with<{ readonly claimToken: string | null }>({ claimToken: nullable(uuid()) })

/** Rows of a workspace beside its runs, in the order in which they are erased. */
const tables = (sql: SqlClient.SqlClient): ReadonlyArray<ErasedTable> => {
  const where =
    (id: string): ErasedTable["where"] =>
    (what) => {
      switch (what._tag) {
        case "Resources":
          return sql`workspace_id = ${what.workspaceId} and ${sql.literal(id)} = any(${uuids(what.ids)})`
        case "Tenant":
          return what.workspaceId === null ? undefined : sql`workspace_id = ${what.workspaceId}`
        case "Person":
          return undefined
      }
    }
  const key = ["workspace_id", "id"]
  // A session that a run joins at this moment is kept by that run's foreign key: the portion fails, and is tried again.
  const isEmpty = sql`not exists (select from agent_platform.run where run.session_id = session.id)`
  const isUnused = sql`not exists (
    select from agent_platform.run where run.workspace_id = agent.workspace_id and run.agent_id = agent.id
  )`
  return [
    { kind: "sessions", table: "session", key, where: where("id"), free: isEmpty },
    {
      kind: "agent_webhooks",
      table: "agent_webhook",
      key: ["workspace_id", "agent_id"],
      where: where("agent_id")
    },
    { kind: "schedules", table: "schedule", key, where: where("agent_id") },
    {
      kind: "agent_versions",
      table: "agent_version",
      key: ["workspace_id", "agent_id", "version"],
      where: where("agent_id")
    },
    { kind: "agents", table: "agent", key, where: where("id"), free: isUnused }
  ]
}

/** The eraser of runs with their logs and checkpoints, of sessions, and of agents with their versions, webhooks and schedules. */
export const layer = layerSql(RunEraser)((sql) => {
  const selected = (alias: string, { agentId, runId, sessionId, workspaceId }: RunSelection) => {
    const column = (name: string) => sql.literal(`${alias}.${name}`)
    return sql.and([
      sql`${column("workspace_id")} = ${workspaceId}`,
      ...(sessionId === undefined ? [] : [sql`${column("session_id")} = ${sessionId}`]),
      ...(agentId === undefined ? [] : [sql`${column("agent_id")} = ${agentId}`]),
      ...(runId === undefined ? [] : [sql`${column("id")} = ${runId}`])
    ])
  }
  const newestFirst = sql`order by run.created_at desc, run.id desc`

  return {
    ...eraserOf(sql, tables(sql)),

    closeSession: (workspaceId, id) =>
      sql`
        update agent_platform.session set closed = true where workspace_id = ${workspaceId} and id = ${id} returning 1
      `.pipe(mapRows((rows) => rows.length > 0)),

    countRuns: Effect.fnUntraced(function* (selection, max) {
      const isMeant = selected("run", selection)
      const runs = yield* countRows(sql, { table: "run" }, isMeant, max)
      const entries = sql`run_id in (select run.id from agent_platform.run where ${isMeant})`
      const uncompressed = yield* countRows(sql, { table: "run_event" }, entries, max)
      const compressed = yield* sql<{ readonly count: number }>`
        select coalesce(sum(last_seq - first_seq + 1), 0)::int as count from (
          select first_seq, last_seq from agent_platform.compressed_log where ${entries} limit ${max}
        ) as meant
      `.pipe(mapRows(([row]) => row?.count ?? 0))
      const counts = { runs, log_entries: Math.min(uncompressed + compressed, max) }
      if (selection.agentId === undefined && selection.runId === undefined) return counts
      // Their sessions go with them where they have no other run.
      const isOther = sql`other.session_id = session.id and not (${selected("other", selection)})`
      const sessions = sql`workspace_id = ${selection.workspaceId}
        and id in (select run.session_id from agent_platform.run where ${isMeant})
        and not exists (select from agent_platform.run as other where ${isOther})`
      return { ...counts, sessions: yield* countRows(sql, { table: "session" }, sessions, max) }
    }),

    idsOf: (selection, max) =>
      sql<FoundRun>`
        select run.id from agent_platform.run where ${selected("run", selection)} ${newestFirst} limit ${max}
      `.pipe(mapRows((rows) => rows.map(({ id }) => id))),

    // Also runs outside the selection that are executed in a session with a run of it: they may have read what that run says.
    unfinished: (selection, max) =>
      sql<Row>`
        select ${sql.literal(heldTable.selected)} from agent_platform.run
        where run.status in ('queued', 'running') and run.workspace_id = ${selection.workspaceId} and (
          (${selected("run", selection)}) or run.status = 'running' and exists (
            select from agent_platform.run as erased
            where erased.session_id = run.session_id and ${selected("erased", selection)}
          )
        )
        limit ${max}
      `.pipe(mapRows((rows) => heldTable.readAll(rows).map(({ claimToken, ...run }) => ({ run, claimToken })))),

    unfinishedOf: (organizationId, max) =>
      sql<Row>`
        with queued as (
          select run.workspace_id, run.id from agent_platform.workspace
          join agent_platform.run on run.workspace_id = workspace.id and run.status = 'queued'
          where workspace.organization_id = ${organizationId} limit ${max}
        ), executing as (
          select workspace_id, id from agent_platform.run
          where status = 'running' and organization_id = ${organizationId} limit ${max}
        )
        select ${sql.literal(heldTable.selected)} from (select * from queued union all select * from executing) as meant
        join agent_platform.run on run.workspace_id = meant.workspace_id and run.id = meant.id
        limit ${max}
      `.pipe(mapRows((rows) => heldTable.readAll(rows).map(({ claimToken, ...run }) => ({ run, claimToken })))),

    // The sessions are locked first, so that no run joins one of them. Those in which a run is executed are left for a later portion, and
    // so are runs beyond `countedTo`, whose outcomes are not in the roll-ups yet.
    hold: Effect.fnUntraced(function* (selection, { countedTo, max }) {
      const { id, mark } = readPlace(countedTo)
      const ended = yield* Effect.orDie(sql<FoundRun>`
        select run.id, run.session_id from agent_platform.run
        where ${selected("run", selection)} and run.status not in ('queued', 'running')
          and (run.ended_xid, run.id) <= (${mark}::text::xid8, ${id}::uuid)
        ${newestFirst} limit ${max}
      `)
      const sessions = uuids([...new Set(ended.map((run) => run.session_id))])
      yield* Effect.orDie(sql`
        select from agent_platform.session where workspace_id = ${selection.workspaceId} and id = any(${sessions})
        order by id for no key update
      `)
      const executing = yield* Effect.orDie(sql<FoundRun>`
        select run.id, run.session_id from agent_platform.run where session_id = any(${sessions}) and status = 'running'
      `)
      const isExecuting = new Set(executing.map((run) => run.session_id))
      const ids = ended.filter((run) => !isExecuting.has(run.session_id)).map((run) => run.id)
      const [other] = yield* Effect.orDie(sql`
        select from agent_platform.run where ${selected("run", selection)} and not run.id = any(${uuids(ids)}) limit 1
      `)
      return { ids, isLast: other === undefined }
    }),

    remove: removeRuns(sql)
  }
})
