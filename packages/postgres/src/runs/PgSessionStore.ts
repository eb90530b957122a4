import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { type SessionId, SessionStore } from "@agent-platform/runs"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { readTimestamp, timestamp } from "../columns.ts"

interface SessionRow {
  readonly organization_id: OrganizationId
  readonly workspace_id: WorkspaceId
  readonly id: SessionId
  readonly created_at: Date
}

/** Sessions in the table `session`. */
export const layer: Layer.Layer<SessionStore, never, SqlClient.SqlClient> = Layer.effect(
  SessionStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    SessionStore.of({
      insert: (session) =>
        sql`
          insert into session (organization_id, workspace_id, id, created_at)
          values (${session.organizationId}, ${session.workspaceId}, ${session.id}, ${timestamp(session.createdAt)})
        `.pipe(Effect.orDie, Effect.asVoid),

      // Not a key lock: runs that refer to the session are inserted while others hold it, by its holder alone.
      hold: (workspaceId, id) =>
        sql<SessionRow>`
          select organization_id, workspace_id, id, created_at from session
          where workspace_id = ${workspaceId} and id = ${id} for no key update
        `.pipe(
          Effect.orDie,
          Effect.map(
            ([row]) =>
              row && {
                id: row.id,
                organizationId: row.organization_id,
                workspaceId: row.workspace_id,
                createdAt: readTimestamp(row.created_at)
              }
          )
        )
    })
  )
)
