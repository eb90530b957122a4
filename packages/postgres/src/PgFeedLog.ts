import { FeedLog } from "@agent-platform/kernel"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { jsonb, timestamp } from "./columns.ts"

/** The feed log in the tables `activity` and `notification`. */
export const layer: Layer.Layer<FeedLog, never, SqlClient.SqlClient> = Layer.effect(
  FeedLog,
  Effect.map(SqlClient.SqlClient, (sql) =>
    FeedLog.of({
      record: (entry) =>
        sql`
          insert into activity (
            organization_id, workspace_id, id, action, actor_type, actor_id, actor_label, summary, resource_type,
            resource_id, payload, created_at
          ) values (
            ${entry.organizationId}, ${entry.workspaceId}, ${entry.id}, ${entry.action}, ${entry.actor.type},
            ${entry.actor.id}, ${entry.actor.label}, ${entry.summary}, ${entry.resourceType}, ${entry.resourceId},
            ${jsonb(entry.payload)}, ${timestamp(entry.createdAt)}
          )
        `.pipe(Effect.orDie, Effect.asVoid),
      notify: (notice) =>
        sql`
          insert into notification (organization_id, workspace_id, id, type, title, body, payload, created_at)
          values (
            ${notice.organizationId}, ${notice.workspaceId}, ${notice.id}, ${notice.type}, ${notice.title},
            ${notice.body}, ${jsonb(notice.payload)}, ${timestamp(notice.createdAt)}
          )
        `.pipe(Effect.orDie, Effect.asVoid)
    })
  )
)
