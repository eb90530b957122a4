import { type EventId, EventLog, type EventRecord, type OrganizationId, type WorkspaceId } from "@agent-platform/kernel"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { readTimestamp, texts, timestamps, uuids } from "./columns.ts"
import { posted } from "./pipelined.ts"

interface EventRow {
  readonly id: EventId
  readonly organization_id: OrganizationId
  readonly workspace_id: WorkspaceId | null
  readonly type: string
  readonly created_at: Date
  readonly body: string
  readonly trace: string | null
}

const toEvent = (row: EventRow): EventRecord => ({
  id: row.id,
  type: row.type,
  organizationId: row.organization_id,
  workspaceId: row.workspace_id,
  createdAt: readTimestamp(row.created_at),
  body: row.body,
  ...(row.trace === null ? {} : { trace: row.trace })
})

/** The event log in the table `event`. The body is text, not jsonb: it is signed and sent to the byte. */
export const layer: Layer.Layer<EventLog, never, SqlClient.SqlClient> = Layer.effect(
  EventLog,
  Effect.map(SqlClient.SqlClient, (sql) =>
    EventLog.of({
      append: (...events) => {
        // Where nobody records traces, no statement tells of them.
        const traced = events.some(({ trace }) => trace !== undefined)
        return posted(
          sql,
          sql`
          insert into event (id, organization_id, workspace_id, type, created_at, body${sql.literal(traced ? ", trace" : "")})
          select * from unnest(
            ${uuids(events.map((event) => event.id))},
            ${uuids(events.map((event) => event.organizationId))},
            ${texts(events.map((event) => event.workspaceId))}::uuid[],
            ${texts(events.map((event) => event.type))},
            ${timestamps(events.map((event) => event.createdAt))},
            ${texts(events.map((event) => event.body))}
            ${traced ? sql`, ${texts(events.map((event) => event.trace ?? null))}` : sql.literal("")}
          )
        `
        ).pipe(Effect.orDie)
      },
      find: (ids) =>
        ids.length === 0
          ? Effect.succeed([])
          : sql<EventRow>`
          select id, organization_id, workspace_id, type, created_at, body, trace from event where id = any(${uuids(ids)})
        `.pipe(
              Effect.orDie,
              Effect.map((rows) => rows.map(toEvent))
            )
    })
  )
)
