import type { NewRunEvent, Run, RunStore, Session } from "@agent-platform/runs"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { integers, jsonb, nullableTimestamp, texts, timestamp, timestamps } from "../columns.ts"
import { posted } from "../pipelined.ts"
import { fromRun } from "./runRow.ts"

/** The end of a session's line: in a new session its beginning, else behind whoever joined last. */
const placeOf = (sql: SqlClient.SqlClient, run: Run, session: Session | undefined) =>
  session === undefined
    ? sql`
      update session set last_position = last_position + 1
      where workspace_id = ${run.workspaceId} and id = ${run.sessionId}
      returning last_position as position, not exists (
        select 1 from run where session_id = ${run.sessionId} and status in ('queued', 'running')
      ) as is_first`
    : sql`
      insert into session (organization_id, workspace_id, id, created_at, last_position)
      values (${session.organizationId}, ${session.workspaceId}, ${session.id}, ${timestamp(session.createdAt)}, 1)
      returning last_position as position, true as is_first`

/** The first events of the run's log, as members of the statement that inserts the run. */
const logOf = (sql: SqlClient.SqlClient, run: Run, events: ReadonlyArray<NewRunEvent>) =>
  events.length === 0
    ? sql.literal("")
    : sql`, logged as (
      insert into run_event (workspace_id, run_id, session_id, seq, type, created_at, attempt, data)
      select ${run.workspaceId}, ${run.id}, ${run.sessionId}, seq, type, created_at, attempt, data::jsonb
      from unnest(
        ${texts(events.map((event) => event.type))},
        ${timestamps(events.map((event) => event.createdAt))},
        ${integers(events.map((event) => event.attempt))},
        ${texts(events.map((event) => JSON.stringify(event.data)))}
      ) with ordinality as event (type, created_at, attempt, data, seq)
    )`

/** `RunStore.insert`: the session if it is new, the run and the beginning of its log, by one statement. */
export const insertRun =
  (sql: SqlClient.SqlClient): RunStore["Service"]["insert"] =>
  (run, { events = [], session } = {}) =>
    posted(
      sql,
      sql`
        with place as (${placeOf(sql, run, session)}), line as (
          select position, case
            when is_first and ${run.status}::text = 'queued' then coalesce(${nullableTimestamp(run.runAt)}::timestamptz, now())
          end as due_at
          from place
        )${logOf(sql, run, events)}
        insert into run
        select made.* from line, jsonb_populate_record(null::run, ${jsonb({ ...fromRun(run), last_seq: events.length })}
          || jsonb_build_object(
            'position', line.position, 'due_at', line.due_at, 'ready', coalesce(line.due_at <= now(), false)
          )) as made
      `
    ).pipe(Effect.orDie)
