import { type OrganizationId, toPage, type WorkspaceId } from "@agent-platform/kernel"
import { messagesOf, type RunId, type RunTrigger, type SessionId, SessionStore } from "@agent-platform/runs"
import { Effect, Layer, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { readNullableTimestamp, readTimestamp, timestamp } from "../columns.ts"

interface SessionRow {
  readonly organization_id: OrganizationId
  readonly workspace_id: WorkspaceId
  readonly id: SessionId
  readonly created_at: Date
}

interface SaidRow {
  readonly id: RunId
  readonly position: number
  readonly prompt: string | null
  readonly reply: Schema.Json
  readonly message: string | null
  readonly paused: boolean
  readonly trigger_type: RunTrigger["type"]
  readonly trigger_id: string | null
  readonly created_at: Date
  readonly finished_at: Date | null
}

/** Sessions in the table `session`; what was said in them is in the table `run`. */
export const layer: Layer.Layer<SessionStore, never, SqlClient.SqlClient> = Layer.effect(
  SessionStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const find = (workspaceId: WorkspaceId, id: SessionId, lock: Fragment) =>
      sql<SessionRow>`
        select organization_id, workspace_id, id, created_at from session
        where workspace_id = ${workspaceId} and id = ${id} ${lock}
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

    return SessionStore.of({
      insert: (session) =>
        sql`
          insert into session (organization_id, workspace_id, id, created_at)
          values (${session.organizationId}, ${session.workspaceId}, ${session.id}, ${timestamp(session.createdAt)})
        `.pipe(Effect.orDie, Effect.asVoid),

      find: (workspaceId, id) => find(workspaceId, id, sql``),

      // Not a key lock: runs that refer to the session are inserted while others hold it, by its holder alone.
      hold: (workspaceId, id) => find(workspaceId, id, sql`for no key update`),

      // A run says two things at most, so half as many runs could do; those that say nothing are skipped.
      messages: (id, { before, limit }) =>
        sql<SaidRow>`
          select id, position, prompt, case when trigger_type = 'message' then input end as reply, message, paused,
            trigger_type, trigger_id, created_at, finished_at
          from run
          where session_id = ${id} and (prompt is not null or message is not null)
            ${before === undefined ? sql`` : sql`and position <= ${Math.floor(Number(before) / 2)}`}
          order by position desc limit ${limit + 2}
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => {
            const end = before === undefined ? Number.POSITIVE_INFINITY : Number(before)
            const said = rows
              .flatMap((row) =>
                messagesOf(
                  {
                    id: row.id,
                    prompt: row.prompt,
                    input: row.reply,
                    message: row.message,
                    paused: row.paused,
                    trigger: { type: row.trigger_type, id: row.trigger_id },
                    createdAt: readTimestamp(row.created_at),
                    finishedAt: readNullableTimestamp(row.finished_at)
                  },
                  row.position
                ).toReversed()
              )
              .filter(({ place }) => place < end)
            return toPage(said.slice(0, limit + 1), limit, ({ place }) => String(place))
          })
        )
    })
  })
)
