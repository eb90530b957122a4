import { EventLog, type EventRecord } from "@agent-platform/kernel"
import { Effect } from "effect"
import { uuids } from "./columns.ts"
import { nullable, text, timestamptz, uuid } from "./columnTypes.ts"
import { layerSql } from "./layerSql.ts"
import { mapRows } from "./mapRows.ts"
import { posted } from "./pipelined.ts"
import { makeTable, type Row } from "./table.ts"

/** Events. The table has one more column, `transaction_id`, for those who follow them. */
export const eventTable = makeTable<
  Omit<EventRecord, "trace" | "runId"> & { readonly trace: string | null; readonly runId: string | null }
>("event", {
  id: uuid(),
  type: text(),
  organizationId: uuid(),
  workspaceId: nullable(uuid()),
  createdAt: timestamptz(),
  data: text(),
  runId: nullable(uuid()),
  trace: nullable(text())
})

/** The event with the values of a row, without a run or a trace where there is none. */
export const toEvent = ({ runId, trace, ...event }: ReturnType<typeof eventTable.read>): EventRecord => ({
  ...event,
  ...(runId === null ? {} : { runId }),
  ...(trace === null ? {} : { trace })
})

/** The event log in the table `event`. The data is text, not jsonb: it is signed and sent to the byte. */
export const layer = layerSql(EventLog)((sql) => ({
  append: (...events) => {
    const rows = events.map((event) => ({ ...event, runId: event.runId ?? null, trace: event.trace ?? null }))
    return posted(
      sql,
      sql`insert into agent_platform.event (${sql.literal(eventTable.names)}) ${eventTable.rowsOf(rows)}`
    ).pipe(Effect.orDie)
  },
  find: (ids) =>
    ids.length === 0
      ? Effect.succeed([])
      : sql<Row>`
          select ${sql.literal(eventTable.selected)} from agent_platform.event where id = any(${uuids(ids)})
        `.pipe(mapRows((rows) => eventTable.readAll(rows).map(toEvent))),
  hold: (id) =>
    sql<Row>`
      select ${sql.literal(eventTable.selected)} from agent_platform.event where id = ${id} for key share
    `.pipe(mapRows(([row]) => row && toEvent(eventTable.read(row))))
}))
