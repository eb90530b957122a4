import type { Notification, NumberedNotification } from "@agent-platform/feeds"
import type { NotificationId } from "@agent-platform/kernel"
import { readTimestamp } from "../columns.ts"

/** A row of `notification` as a workspace sees it. */
export interface NotificationRow extends Pick<Notification, "type" | "title" | "body" | "payload" | "read"> {
  readonly organization_id: Notification["organizationId"]
  readonly workspace_id: Notification["workspaceId"]
  readonly id: NotificationId
  readonly created_at: Date
  readonly number: bigint | null
}

/** The columns of a `NotificationRow` but `read`, which is not of the notice alone. */
export const NOTIFICATION_COLUMNS = "organization_id, workspace_id, id, type, title, body, payload, created_at, number"

/** The notice in a row. */
export const toNotification = (row: NotificationRow): Notification => ({
  id: row.id,
  organizationId: row.organization_id,
  workspaceId: row.workspace_id,
  type: row.type,
  title: row.title,
  body: row.body,
  payload: row.payload,
  createdAt: readTimestamp(row.created_at),
  read: row.read
})

/** As `toNotification`, for a notice that has a number. */
export const toNumbered = (row: NotificationRow): NumberedNotification => ({
  notification: toNotification(row),
  number: Number(row.number)
})
