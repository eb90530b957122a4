import type { WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import type { FeedPlace } from "../Notification.ts"
import { NotificationHub } from "../NotificationHub.ts"

/**
 * The workspace's notices as they are committed, from now on or after a place that was reached before. The stream has no
 * end of its own; one that is read too slowly ends, and is taken up where it was, or where it began. Fails with PlaceUnknown when the feed
 * has not come so far.
 */
export const followNotifications = useCase("feeds.followNotifications")(function* (query: {
  readonly caller: WorkspaceCaller
  readonly after: FeedPlace | undefined
}) {
  const hub = yield* NotificationHub
  return yield* hub.follow(query.caller, query.after)
})
