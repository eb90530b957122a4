import { UnitOfWork, type WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { ownersOf } from "../Notification.ts"
import { NotificationFeed } from "../ports/NotificationFeed.ts"
import { FILE_MAX } from "./fileNotices.ts"

/** Of more notices without a number than this, a reader files a batch: a scheduler may be away. */
export const UNFILED_MAX = 1_000

/** The workspace's most recent notices and the exact number of its unread ones. Spec: Notifications. */
export const readNotifications = useCase("feeds.readNotifications")(function* (query: {
  readonly caller: WorkspaceCaller
}) {
  const feed = yield* NotificationFeed
  const unit = yield* UnitOfWork
  const { items, unfiled, unreadCount } = yield* feed.read(query.caller)
  if (unfiled > UNFILED_MAX) {
    for (const owner of ownersOf(query.caller)) yield* unit.atomic(feed.file(owner, FILE_MAX))
  }
  return { items, unreadCount }
})
