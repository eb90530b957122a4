/** The rows of an organization in the feed log's tables, for its contract suite. */
import type { ActivityRecord, NotificationRecord } from "@agent-platform/kernel"
import type { FeedReading } from "@agent-platform/kernel/testing"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"

type Row<A> = Omit<A, "createdAt"> & { readonly at: Date }

const withTime = <A>({ at, ...row }: Row<A>): A => ({ ...row, createdAt: DateTime.fromDateUnsafe(at) }) as A

export const feedReading: FeedReading<SqlClient.SqlClient> = {
  activity: (organizationId) =>
    SqlClient.SqlClient.use(
      (sql) => sql<Row<ActivityRecord>>`
        select id, organization_id as "organizationId", workspace_id as "workspaceId", action,
          jsonb_build_object('type', actor_type, 'id', coalesce(actor_id::text, actor_word), 'label', actor_label) as actor, summary,
          resource_type as "resourceType", coalesce(resource_id::text, resource_word) as "resourceId", payload, created_at as at
        from agent_platform.activity where organization_id = ${organizationId} order by id
      `
    ).pipe(
      Effect.orDie,
      Effect.map((rows) => rows.map((row) => withTime<ActivityRecord>(row)))
    ),
  notifications: (organizationId) =>
    SqlClient.SqlClient.use(
      (sql) => sql<Row<NotificationRecord>>`
        select id, organization_id as "organizationId", workspace_id as "workspaceId", type, about, title, body, payload,
          created_at as at
        from agent_platform.notification where organization_id = ${organizationId} order by id
      `
    ).pipe(
      Effect.orDie,
      Effect.map((rows) => rows.map((row) => withTime<NotificationRecord>(row)))
    )
}
