import type { NewRunEvent, RunId } from "@agent-platform/runs"
import type { SqlClient } from "effect/sql"
import { integer } from "../columnTypes.ts"
import { runEventTable } from "./runEventTable.ts"

/** Events whose numbers follow from the log of their run: its events are counted from one. */
const placedTable = runEventTable.omit("sessionId", "seq").with({ position: integer() })

/**
 * The end of a statement that has numbered the runs of these events: their rows, behind what each run's log had before. `numbered`
 * names what has the runs, with `workspace_id`, `id`, `session_id` and the last number `before`.
 */
export const insertEvents = (
  sql: SqlClient.SqlClient,
  numbered: string,
  logs: ReadonlyArray<{ readonly runId: RunId; readonly events: ReadonlyArray<NewRunEvent> }>
) => {
  const placed = logs.flatMap(({ events, runId }) =>
    events.map((event, index) => ({ ...event, runId, position: index + 1 }))
  )
  return sql`
    insert into agent_platform.run_event (workspace_id, run_id, session_id, seq, type, created_at, attempt, data)
    select numbered.workspace_id, numbered.id, numbered.session_id, numbered.before + event.position,
      event.type, event.created_at, event.attempt, event.data
    from (${placedTable.rowsOf(placed)}) as event
    join ${sql.literal(numbered)} as numbered on numbered.id = event.run_id
  `
}
