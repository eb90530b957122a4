/** The feeds of a workspace for people: notifications and activity. */
export {
  ACTIVITY_DAYS,
  ACTOR_TYPES,
  type ActivityFilter,
  type ActivityPosition,
  readPosition,
  toActivityPage
} from "./Activity.ts"
export {
  readCursor,
  writeCursor
} from "./ActivityExport.ts"
export {
  type CountedFailures,
  countFailures,
  FAILURES_TOLD_MAX,
  FAILURES_WINDOW_MINUTES,
  failuresMatterFrom,
  isCountable
} from "./countFailures.ts"
export { Feeds, type FeedsPorts } from "./Feeds.ts"
export { ExportBroken, makeExportReader, type ReadPage } from "./makeExportReader.ts"
export {
  type Arrival,
  arrivalsOf,
  type FeedPlace,
  type FeedWorkspace,
  isWithin,
  MARK_READ_MAX,
  NOTIFICATION_DAYS,
  NOTIFICATIONS_SHOWN_MAX,
  type NoticeOwner,
  type Notification,
  type NotificationFilter,
  type NumberedNotification,
  ownersOf,
  PlaceUnknown,
  passes,
  readPlace,
  writePlace
} from "./Notification.ts"
export type { Following, News } from "./NotificationHub.ts"
export { ActivityFeed } from "./ports/ActivityFeed.ts"
export {
  ActivityHistory,
  ActivityPlace,
  ActivityWatermark
} from "./ports/ActivityHistory.ts"
export { FeedEraser } from "./ports/FeedEraser.ts"
export { type FeedPart, type FeedRange, type FeedReading, NotificationFeed } from "./ports/NotificationFeed.ts"
export { type Comparison, compareExported } from "./use-cases/compareExported.ts"
export { ExportCursorUnknown, exportActivity } from "./use-cases/exportActivity.ts"
export { fileNotices } from "./use-cases/fileNotices.ts"
export { forgetOld, type Retention } from "./use-cases/forgetOld.ts"
