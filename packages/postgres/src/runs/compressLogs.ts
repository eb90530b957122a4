import { firstIdAt } from "@agent-platform/kernel"
import type { RunHistory, RunId } from "@agent-platform/runs"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { timestamp, uuids } from "../columns.ts"
import { bytea, integer, uuid } from "../columnTypes.ts"
import { makeTable } from "../table.ts"
import { type LoggedRow, type LogPart, makeParts } from "./logParts.ts"

const partTable = makeTable<LogPart & { readonly workspaceId: string }>("compressed_log", {
  workspaceId: uuid(),
  runId: uuid(),
  firstSeq: integer(),
  lastSeq: integer(),
  bytes: integer(),
  events: bytea()
})

/** So many events are read at a time: of 64 KiB each at most. */
const EVENTS_AT_ONCE = 500

/** A transaction compresses so many events, or one log that has more. */
const EVENTS_MAX = 5_000

interface EndedRun {
  readonly id: RunId
  readonly workspace_id: string
  readonly last_seq: number
}

/** The first runs, with up to `EVENTS_MAX` events together. */
const boundedPart = (runs: ReadonlyArray<EndedRun>): ReadonlyArray<EndedRun> => {
  let events = 0
  const rest = runs.findIndex(({ last_seq }, place) => {
    events += last_seq
    return place > 0 && events > EVENTS_MAX
  })
  return rest === -1 ? runs : runs.slice(0, rest)
}

/**
 * `RunHistory.compress`: runs that have rows in `run_event` are found by its primary key, from one run to the next, so that those whose logs
 * are compressed cost nothing. One that waits or goes on stays in the way of the next search.
 */
export const compressLogs = (sql: SqlClient.SqlClient): RunHistory["Service"]["compress"] => {
  const logged = (runs: ReadonlyArray<EndedRun>, after: LoggedRow | undefined) => sql<LoggedRow>`
    select run_id, seq, type, floor(extract(epoch from created_at) * 1000)::float8 as millis, attempt, data::text as data
    from agent_platform.run_event
    where run_id = any(${uuids(runs.map(({ id }) => id))})
      ${after === undefined ? sql`` : sql`and (run_id, seq) > (${after.run_id}::uuid, ${after.seq}::int)`}
    order by run_id, seq limit ${EVENTS_AT_ONCE}
  `

  return Effect.fnUntraced(function* ({ after, before, limit }) {
    const inRange = sql`run_id < ${firstIdAt(before)}::uuid`
    const looked = yield* sql<{ readonly id: RunId }>`
      with recursive logged as (
        (
          select run_id as id, 1 as place from agent_platform.run_event
          where ${inRange} ${after === undefined ? sql`` : sql`and run_id > ${after}::uuid`} order by run_id limit 1
        )
        union all
        select (
          select run_id from agent_platform.run_event where run_id > logged.id and ${inRange} order by run_id limit 1
        ), logged.place + 1
        from logged where logged.id is not null and logged.place < ${limit}
      )
      select id from logged where id is not null order by place
    `
    // Forgetting a session and compressing its runs exclude each other by its lock, which lets new runs join it meanwhile.
    const found = yield* sql<EndedRun>`
      select run.id, run.workspace_id, run.last_seq from agent_platform.run
      join agent_platform.session on session.id = run.session_id and session.workspace_id = run.workspace_id
      where run.id = any(${uuids(looked.map(({ id }) => id))}) and run.finished_at < ${timestamp(before)}
      order by run.id for key share of session skip locked for no key update of run skip locked
    `
    const ended = boundedPart(found)
    const last = (ended.length < found.length ? ended : looked).at(-1)?.id
    if (ended.length === 0) return { logs: 0, last }
    const workspaces = new Map(ended.map(({ id, workspace_id }) => [id as string, workspace_id]))
    const insert = (parts: ReadonlyArray<LogPart>) =>
      parts.length === 0
        ? Effect.void
        : sql`
            insert into agent_platform.compressed_log (${sql.literal(partTable.names)})
            ${partTable.rowsOf(parts.map((part) => ({ ...part, workspaceId: workspaces.get(part.runId) ?? "" })))}
          `
    const parts = makeParts()
    let read: ReadonlyArray<LoggedRow> = []
    do {
      read = yield* logged(ended, read.at(-1))
      yield* insert(parts.add(read))
    } while (read.length === EVENTS_AT_ONCE)
    yield* insert(parts.end())
    yield* sql`delete from agent_platform.run_event where run_id = any(${uuids([...workspaces.keys()])})`
    return { logs: ended.length, last }
  }, Effect.orDie)
}
