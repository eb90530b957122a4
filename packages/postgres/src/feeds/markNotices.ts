import { type FeedWorkspace, type NotificationFeed, ownersOf } from "@agent-platform/feeds"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { uuids } from "../columns.ts"
import { fileNotices } from "./fileNotices.ts"
import { holdReader, isOf } from "./owners.ts"

/**
 * `NotificationFeed.markRead`. Notices up to the numbers `read_own` and `read_shared`, which `markAllRead` has set, are skipped;
 * `read_beyond` counts the marks of all others.
 */
export const markRead =
  (sql: SqlClient.SqlClient): NotificationFeed["Service"]["markRead"] =>
  (workspace, ids) =>
    Effect.gen(function* () {
      const { organizationId, workspaceId } = workspace
      const [shared, own] = ownersOf(workspace).map((owner) => isOf(sql, owner))
      yield* holdReader(sql, workspace, "share")
      yield* sql`
        with marked as (
          insert into agent_platform.notification_read (notification_id, organization_id, workspace_id)
          select notification.id, reader.organization_id, reader.workspace_id
          from agent_platform.notification join agent_platform.notification_reader reader
            on reader.organization_id = ${organizationId} and reader.workspace_id = ${workspaceId}
          where notification.id = any(${uuids(ids)}) and notification.organization_id = ${organizationId}
            and (
              (${own} and (number is null or number > reader.read_own))
              or (${shared} and (number is null or number > reader.read_shared))
            )
          on conflict do nothing returning 1
        )
        update agent_platform.notification_reader set read_beyond = read_beyond + (select count(*) from marked)
        where organization_id = ${organizationId} and workspace_id = ${workspaceId}
      `
    }).pipe(Effect.orDie)

/** `NotificationFeed.markAllRead`: committed notices are filed, and then all numbers count as read. */
export const markAllRead =
  (sql: SqlClient.SqlClient) =>
  (workspace: FeedWorkspace): Effect.Effect<void> =>
    Effect.gen(function* () {
      const { organizationId, workspaceId } = workspace
      yield* holdReader(sql, workspace, "update")
      for (const owner of ownersOf(workspace)) yield* fileNotices(sql, owner, undefined)
      yield* sql`
        update agent_platform.notification_reader set read_beyond = 0,
          read_own = (
            select filed from agent_platform.notification_tally where coalesce(workspace_id, organization_id) = ${workspaceId}::uuid
          ),
          read_shared = (
            select filed from agent_platform.notification_tally where coalesce(workspace_id, organization_id) = ${organizationId}::uuid
          )
        where organization_id = ${organizationId} and workspace_id = ${workspaceId}
      `
    }).pipe(Effect.orDie)
