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

/** How many events are read at a time; each has 64 KiB at most. */
const EVENTS_AT_ONCE = 500

/** Most events that a transaction compresses, except where a single log has more. */
const EVENTS_MAX = 5_000

interface EndedRun {
  readonly id: RunId
  readonly workspace_id: string
  readonly last_seq: number
}

/** The first of these runs, as many as have up to `EVENTS_MAX` events together, but at least one. */
const boundedPart = (runs: ReadonlyArray<EndedRun>): ReadonlyArray<EndedRun> => {
  let events = 0
  const rest = runs.findIndex(({ last_seq }, place) => {
    events += last_seq
    return place > 0 && events > EVENTS_MAX
  })
  return rest === -1 ? runs : runs.slice(0, rest)
}

/**
 * `RunHistory.compress`: jumps along the primary key of `run_event` from one run to the next, so that runs whose logs are compressed
 * already cost nothing. Runs that have not ended are looked at again each time.
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
    // The lock on the session keeps out forgetting, but lets new runs join the session meanwhile.
    const found = yield* sql<EndedRun>`
      select run.id, run.workspace_id, run.last_seq from agent_platform.run
      join agent_platform.session on session.id = run.session_id and session.workspace_id = run.workspace_id
      where run.id = any(${uuids(looked.map(({ id }) => id))}) and run.finished_at < ${timestamp(before)}
      order by run.id for key share of session skip locked for no key update of run skip locked
    `
    const ended = boundedPart(found)
    // Where some are left for another transaction, the next call begins with these.
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
