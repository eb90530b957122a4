import type { WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { type NotificationFilter, ownersOf } from "../Notification.ts"
import { NotificationFeed } from "../ports/NotificationFeed.ts"
import { fileNotices } from "./fileNotices.ts"

/**
 * The workspace's most recent notices, those of a filter where one is given, and the exact number of its unread ones. Notices
 * that were committed before are filed first, so that failures are counted and closed ones are read. Spec: Notifications.
 */
export const readNotifications = useCase("feeds.readNotifications")(function* (query: {
  readonly caller: WorkspaceCaller
  readonly filter?: NotificationFilter | undefined
}) {
  const feed = yield* NotificationFeed
  const { unfiled, ...current } = yield* feed.read(query.caller, query.filter)
  if (unfiled === 0) return current
  yield* fileNotices(ownersOf(query.caller))
  const { items, unreadCount } = yield* feed.read(query.caller, query.filter)
  return { items, unreadCount }
})
