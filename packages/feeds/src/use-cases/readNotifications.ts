import type { WorkspaceCaller } from "@agent-platform/kernel"
import { Effect } from "effect"
import { ownersOf } from "../Notification.ts"
import { NotificationFeed } from "../ports/NotificationFeed.ts"
import { fileNotices } from "./fileNotices.ts"

/** More notices without a number than this are filed by whoever comes upon them: a scheduler may be away. */
export const UNFILED_MAX = 1_000

/** The workspace's most recent notices and the exact number of its unread ones. Spec: Notifications. */
export const readNotifications = Effect.fn("feeds.readNotifications")(function* (query: {
  readonly caller: WorkspaceCaller
}) {
  const feed = yield* NotificationFeed
  const { items, unfiled, unreadCount } = yield* feed.read(query.caller)
  if (unfiled > UNFILED_MAX) yield* fileNotices(ownersOf(query.caller))
  return { items, unreadCount }
})
