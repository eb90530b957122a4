/** The feeds of a workspace for people: notifications and activity. */
export {
  ACTIVITY_DAYS,
  ACTOR_TYPES,
  type ActivityFilter,
  type ActivityPageRequest,
  type ActivityPosition,
  type ActivityScope,
  isMeant,
  newestFirst,
  toActivityPage
} from "./Activity.ts"
export {
  EXPORT_PAGE_MAX,
  type ExportCursor,
  type ExportedEntry,
  readCursor,
  writeCursor
} from "./ActivityExport.ts"
export { Feeds, type FeedsPorts } from "./Feeds.ts"
export { ExportBroken, type ExportReader, makeExportReader, type ReadPage } from "./makeExportReader.ts"
export {
  type Arrival,
  arrivalsOf,
  BEGINNING,
  type FeedPlace,
  type FeedWorkspace,
  isWithin,
  MARK_READ_MAX,
  NOTIFICATION_DAYS,
  NOTIFICATIONS_SHOWN_MAX,
  type NoticeOwner,
  type Notification,
  type NumberedNotification,
  ownersOf,
  PlaceUnknown,
  readPlace,
  writePlace
} from "./Notification.ts"
export { FOLLOWER_NOTICES_MAX, type Following } from "./NotificationHub.ts"
export { ActivityFeed } from "./ports/ActivityFeed.ts"
export {
  ActivityHistory,
  type ActivityPart,
  ActivityPlace,
  type ActivityRange,
  ActivityWatermark
} from "./ports/ActivityHistory.ts"
export { type FeedPart, type FeedRange, type FeedReading, NotificationFeed } from "./ports/NotificationFeed.ts"
export { type Comparison, compareExported } from "./use-cases/compareExported.ts"
export { ExportCursorUnknown, exportActivity } from "./use-cases/exportActivity.ts"
export { FILE_MAX, fileNotices } from "./use-cases/fileNotices.ts"
export { FORGET_MAX, forgetOld, type Retention } from "./use-cases/forgetOld.ts"
export type { ListActivity } from "./use-cases/listActivity.ts"
export type { MarkRead } from "./use-cases/markRead.ts"
export { UNFILED_MAX } from "./use-cases/readNotifications.ts"
