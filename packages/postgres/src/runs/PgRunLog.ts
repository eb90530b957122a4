import { LOG_PAGE_BYTES, RunLog } from "@agent-platform/runs"
import { Effect } from "effect"
import { integers, texts, uuids } from "../columns.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import { posted } from "../pipelined.ts"
import { insertEvents } from "./insertEvents.ts"
import { type LogRow, pageIn, partsOfPage } from "./logParts.ts"
import { runFence } from "./runClaims.ts"
import { runEventTable } from "./runEventTable.ts"

/** Logs of runs in the table `run_event`, and in `compressed_log` some time after their end, numbered by `run.last_seq`. */
export const layer = layerSql(RunLog)((sql) => ({
  // The row of the run stays locked until the commit, so numbers become visible in their order. The `limit` has the planner expect one
  // row, and so use the index of ids (see `settle`).
  append: (entries) => {
    if (entries.every(({ events }) => events.length === 0)) return Effect.void
    return posted(
      sql,
      sql`
          with numbered as (
            update agent_platform.run set last_seq = last_seq + entry.length
            from (
              select * from unnest(
                ${uuids(entries.map((entry) => entry.runId))},
                ${texts(entries.map((entry) => entry.claimToken))}::uuid[],
                ${integers(entries.map((entry) => entry.events.length))}
              ) as entry (id, claim_token, length) limit ${entries.length}
            ) as entry
            where ${runFence(sql, "entry")}
            returning run.workspace_id, run.id, run.session_id, run.last_seq - entry.length as before
          )
          ${insertEvents(sql, "numbered", entries)}
        `
    ).pipe(Effect.orDie)
  },

  // The recursion goes from event to event, by numbers without gaps, because a sum would also read the data of events that are not on
  // the page. A statement finds a log wholly in one of the two tables.
  read: (runId, page) => {
    const { after, limit } = page
    return sql<LogRow>`
          with recursive page as (
            (
              select run_event.*, octet_length(data::text) as bytes, 1 as length from agent_platform.run_event
              where run_id = ${runId} and seq > ${after} order by seq limit least(1, ${limit}::int)
            )
            union all
            select next.*, page.bytes + octet_length(next.data::text), page.length + 1
            from page join agent_platform.run_event as next on next.run_id = ${runId} and next.seq = page.seq + 1
            where page.bytes < ${LOG_PAGE_BYTES} and page.length < ${limit}
          ), part as (
            select compressed_log.run_id, run.session_id, first_seq, events from agent_platform.compressed_log
            join agent_platform.run on run.id = compressed_log.run_id
            where compressed_log.run_id = ${runId} and compressed_log.last_seq > ${after}
            order by first_seq limit ${partsOfPage(limit)}
          )
          select ${sql.literal(runEventTable.names)}, null::bytea as events from page
          union all
          select run_id, session_id, first_seq, null, null, null, null, events from part
          order by seq
        `.pipe(mapRows((rows) => pageIn(rows, page)))
  },

  bytes: (runId) =>
    sql<{ readonly bytes: bigint }>`
          select (
            (select coalesce(sum(octet_length(data::text)), 0) from agent_platform.run_event where run_id = ${runId}) +
            (select coalesce(sum(bytes), 0) from agent_platform.compressed_log where run_id = ${runId})
          )::bigint as bytes
        `.pipe(mapRows(([row]) => Number(row?.bytes ?? 0))),

  lastSeq: (runId) =>
    sql<{ readonly last_seq: number }>`select last_seq from agent_platform.run where id = ${runId}`.pipe(
      mapRows(([row]) => row?.last_seq ?? 0)
    )
}))
