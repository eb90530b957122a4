import type { Notification } from "@agent-platform/feeds"
import type { ActivityRecord } from "@agent-platform/kernel"

/** A notice as the contract shows it. */
export const notificationView = ({ body, createdAt, id, payload, read, title, type }: Notification) => ({
  id,
  type,
  title,
  body,
  payload,
  read,
  createdAt
})

/** An entry of the activity feed as the contract shows it. */
export const activityView = (entry: ActivityRecord) => ({
  id: entry.id,
  action: entry.action,
  actorType: entry.actor.type,
  actorLabel: entry.actor.label,
  summary: entry.summary,
  resourceType: entry.resourceType,
  resourceId: entry.resourceId,
  payload: entry.payload,
  createdAt: entry.createdAt
})
