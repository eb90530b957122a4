/** The options of `createFeeds`, checked before anything else happens. */
import { ACTIVITY_DAYS, NOTIFICATION_DAYS } from "@agent-platform/feeds"
import { DEFAULT_QUOTAS } from "@agent-platform/kernel"
import { type Place, placeOf } from "../internal/database.ts"
import { wholeOption } from "../internal/inputs.ts"

/** `database` or `memory: true`; all else has a default. */
export type FeedsOptions = Place & {
  /** Days for which notifications are kept, 90 by default, and activity, 400 by default. */
  readonly notificationDays?: number | undefined
  readonly activityDays?: number | undefined
  /** Most notifications that are kept of a reader, and as many to all of a tenant; 10,000 by default. The oldest go first. */
  readonly notificationsMax?: number | undefined
}

const DAYS_MAX = 3_650
const NOTIFICATIONS_MAX = 1_000_000

/** The options in force. */
export const readOptions = (options: FeedsOptions) => {
  const {
    activityDays = ACTIVITY_DAYS,
    log,
    notificationDays = NOTIFICATION_DAYS,
    notificationsMax = DEFAULT_QUOTAS.notices
  } = options
  return {
    installation: placeOf("feeds", options),
    notificationDays: wholeOption("notificationDays", notificationDays, 1, DAYS_MAX),
    activityDays: wholeOption("activityDays", activityDays, 1, DAYS_MAX),
    notificationsMax: wholeOption("notificationsMax", notificationsMax, 50, NOTIFICATIONS_MAX),
    log
  }
}

export type FeedsSettings = ReturnType<typeof readOptions>
