import type { NewRunEvent, RunId } from "@agent-platform/runs"
import type { SqlClient } from "effect/sql"
import { integer } from "../columnTypes.ts"
import { runEventTable } from "./runEventTable.ts"

/** New events of runs, with the position of each among the new events of its run, from one. */
const placedTable = runEventTable.omit("sessionId", "seq").with({ position: integer() })

/**
 * The end of a statement that inserts these events after those that each run's log has. `numbered` names a part of the statement with
 * the runs: `workspace_id`, `id`, `session_id`, and `before`, the last number in the log so far.
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
