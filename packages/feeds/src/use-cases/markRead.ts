import { type NotificationId, UnitOfWork, type WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { NotificationFeed } from "../ports/NotificationFeed.ts"
import { readNotifications } from "./readNotifications.ts"

/**
 * Marks notices as read for the caller's workspace and returns how many are unread then. Ids that it does not see and those
 * already read change nothing. Notices posted meanwhile stay unread.
 */
export const markRead = useCase("feeds.markRead")(function* ({
  caller,
  which
}: {
  readonly caller: WorkspaceCaller
  readonly which: ReadonlyArray<NotificationId> | "all"
}) {
  const feed = yield* NotificationFeed
  const unit = yield* UnitOfWork
  if (which === "all") yield* unit.atomic(feed.markAllRead(caller))
  else if (which.length > 0) yield* unit.atomic(feed.markRead(caller, [...new Set(which)]))
  const { unreadCount } = yield* readNotifications({ caller })
  return { unreadCount }
})
