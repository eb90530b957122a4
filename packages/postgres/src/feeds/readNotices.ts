import { type FeedWorkspace, NOTIFICATIONS_SHOWN_MAX, type NotificationFilter, ownersOf } from "@agent-platform/feeds"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { timestamp } from "../columns.ts"
import type { Row } from "../table.ts"
import { NOTIFICATION_COLUMNS, toNotification } from "./notificationTable.ts"
import { isOf } from "./owners.ts"

interface ReadingRow extends Row {
  readonly unread: bigint
  readonly unfiled: bigint
}

/**
 * `NotificationFeed.read`, in one statement and so of one moment. The unread count is made of tallies and of the unfiled notices,
 * so its cost does not grow with the number of filed ones.
 *
 * - `mark`: up to which numbers the workspace has read all, and how many notices beyond them it has read one by one.
 * - `filed`: how many notices have a number beyond these and are not forgotten.
 * - `unfiled` and `closing`: how many notices and closings wait for filing.
 * - `recent`: the newest notices of both owners, with and without a number, each kind by the index that has its order.
 */
export const readNotices = (sql: SqlClient.SqlClient) => {
  const columns = sql.literal(NOTIFICATION_COLUMNS)
  return Effect.fnUntraced(function* (workspace: FeedWorkspace, filter: NotificationFilter = {}) {
    const { organizationId, workspaceId } = workspace
    const [shared, own] = ownersOf(workspace).map((owner) => isOf(sql, owner))
    const isRead = (mark: "own" | "shared") => sql`(
      coalesce(number <= (select ${sql.literal(mark)} from mark), false) or exists (
        select from agent_platform.notification_read marked
        where marked.notification_id = notification.id and marked.workspace_id = ${workspaceId}
      )
    )`
    const newest = (owner: typeof own, mark: "own" | "shared", state: string, order: string) => sql`
      (select ${columns}, ${isRead(mark)} as read from agent_platform.notification
        where ${sql.and([
          owner ?? sql``,
          sql.literal(state),
          ...(filter.type === undefined ? [] : [sql`type = ${filter.type}`]),
          ...(filter.since === undefined ? [] : [sql`created_at >= ${timestamp(filter.since)}`]),
          ...(filter.read === undefined ? [] : [sql`${isRead(mark)} = ${filter.read}`])
        ])}
        order by ${sql.literal(order)} limit ${NOTIFICATIONS_SHOWN_MAX})
    `
    const rows = yield* Effect.orDie(sql<ReadingRow>`
      with mark as (
        select coalesce(max(read_own), 0) as own, coalesce(max(read_shared), 0) as shared,
          coalesce(max(read_beyond), 0) as beyond
        from agent_platform.notification_reader where organization_id = ${organizationId} and workspace_id = ${workspaceId}
      ), filed as (
        select coalesce(sum(filed - greatest(forgotten, case when workspace_id is null then shared else own end)), 0)
          as count
        from agent_platform.notification_tally, mark
        where coalesce(workspace_id, organization_id) in (${organizationId}::uuid, ${workspaceId}::uuid)
          and organization_id = ${organizationId}
      ), unfiled as (
        select count(*) as count from agent_platform.notification
        where number is null and (${shared} or ${own}) and organization_id = ${organizationId}
      ), closing as (
        select count(*) as count from agent_platform.notification_closing where workspace_id = ${workspaceId}
      ), recent as (
        ${newest(shared, "shared", "number is null", "created_at desc, id desc")}
        union all ${newest(shared, "shared", "number is not null", "number desc")}
        union all ${newest(own, "own", "number is null", "created_at desc, id desc")}
        union all ${newest(own, "own", "number is not null", "number desc")}
      )
      select (filed.count + unfiled.count - mark.beyond)::bigint as unread, unfiled.count + closing.count as unfiled, shown.*
      from mark cross join filed cross join unfiled cross join closing left join lateral (
        select * from recent where organization_id = ${organizationId} order by created_at desc, id desc limit ${NOTIFICATIONS_SHOWN_MAX}
      ) as shown on true
      order by shown.created_at desc, shown.id desc
    `)
    return {
      items: rows.flatMap((row) => (row.id === null ? [] : [toNotification(row)])),
      unreadCount: Number(rows[0]?.unread ?? 0),
      unfiled: Number(rows[0]?.unfiled ?? 0)
    }
  })
}
