import { FeedLog, NOTICES_POSTED, Signals } from "@agent-platform/kernel"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { texts, timestamps, uuids } from "./columns.ts"
import { posted } from "./pipelined.ts"

/** The feed log in the tables `activity` and `notification`. */
export const layer: Layer.Layer<FeedLog, never, SqlClient.SqlClient | Signals> = Layer.effect(
  FeedLog,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals
    return FeedLog.of({
      record: (...entries) =>
        posted(
          sql,
          sql`
          insert into activity (
            organization_id, workspace_id, id, action, actor_type, actor_id, actor_label, summary, resource_type,
            resource_id, payload, created_at
          )
          select organization_id, workspace_id, id, action, actor_type, actor_id, actor_label, summary, resource_type,
            resource_id, payload::jsonb, created_at
          from unnest(
            ${uuids(entries.map((entry) => entry.organizationId))},
            ${texts(entries.map((entry) => entry.workspaceId))}::uuid[],
            ${uuids(entries.map((entry) => entry.id))},
            ${texts(entries.map((entry) => entry.action))},
            ${texts(entries.map((entry) => entry.actor.type))},
            ${texts(entries.map((entry) => entry.actor.id))},
            ${texts(entries.map((entry) => entry.actor.label))},
            ${texts(entries.map((entry) => entry.summary))},
            ${texts(entries.map((entry) => entry.resourceType))},
            ${texts(entries.map((entry) => entry.resourceId))},
            ${texts(entries.map((entry) => JSON.stringify(entry.payload)))},
            ${timestamps(entries.map((entry) => entry.createdAt))}
          ) as entry (
            organization_id, workspace_id, id, action, actor_type, actor_id, actor_label, summary, resource_type,
            resource_id, payload, created_at
          )
        `
        ).pipe(Effect.orDie),
      notify: (...notices) =>
        posted(
          sql,
          sql`
          insert into notification (organization_id, workspace_id, id, type, title, body, payload, created_at)
          select organization_id, workspace_id, id, type, title, body, payload::jsonb, created_at
          from unnest(
            ${uuids(notices.map((notice) => notice.organizationId))},
            ${texts(notices.map((notice) => notice.workspaceId))}::uuid[],
            ${uuids(notices.map((notice) => notice.id))},
            ${texts(notices.map((notice) => notice.type))},
            ${texts(notices.map((notice) => notice.title))},
            ${texts(notices.map((notice) => notice.body))},
            ${texts(notices.map((notice) => JSON.stringify(notice.payload)))},
            ${timestamps(notices.map((notice) => notice.createdAt))}
          ) as notice (organization_id, workspace_id, id, type, title, body, payload, created_at)
        `
        ).pipe(Effect.orDie, Effect.andThen(signals.raise(NOTICES_POSTED)))
    })
  })
)
