import type { DateTime } from "effect"
import type { SqlClient } from "effect/sql"
import { integers, texts, timestamps, uuids } from "../columns.ts"

/** An event of a run, and which of those that are written with it it is, counted from one. */
export interface PlacedEvent {
  readonly runId: string
  readonly position: number
  readonly type: string
  readonly createdAt: DateTime.Utc
  readonly attempt: number
  readonly data: unknown
}

/**
 * The end of a statement that has numbered the runs of these events: their rows, behind what each run's log had before. `numbered`
 * names what has the runs, with `workspace_id`, `id`, `session_id` and the last number `before`.
 */
export const insertEvents = (sql: SqlClient.SqlClient, numbered: string, events: ReadonlyArray<PlacedEvent>) => sql`
  insert into run_event (workspace_id, run_id, session_id, seq, type, created_at, attempt, data)
  select numbered.workspace_id, numbered.id, numbered.session_id, numbered.before + event.position,
    event.type, event.created_at, event.attempt, event.data::jsonb
  from unnest(
    ${uuids(events.map((event) => event.runId))},
    ${integers(events.map((event) => event.position))},
    ${texts(events.map((event) => event.type))},
    ${timestamps(events.map((event) => event.createdAt))},
    ${integers(events.map((event) => event.attempt))},
    ${texts(events.map((event) => JSON.stringify(event.data)))}
  ) as event (run_id, position, type, created_at, attempt, data)
  join ${sql.literal(numbered)} as numbered on numbered.id = event.run_id
`
