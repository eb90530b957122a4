/** Notifications and activity in a service of yours. */
export type { HostClient } from "../clients/index.ts"
export type { HostDatabase } from "../internal/database.ts"
export type { InTransaction } from "../internal/Embedded.ts"
export { EmbedError } from "../internal/EmbedError.ts"
export type { LogEntry } from "../internal/runtime.ts"
export { createFeeds } from "./createFeeds.ts"
export type {
  Activity,
  ActivityPage,
  Actor,
  EmbeddedFeeds,
  Notification,
  PostedNotification,
  Reader,
  RecordedActivity
} from "./EmbeddedFeeds.ts"
export type { FeedsErrorCode } from "./errors.ts"
export type { FeedsOptions } from "./options.ts"
