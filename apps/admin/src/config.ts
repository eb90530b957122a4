import { parseInteger, read, setting, settings } from "@agent-platform/process"
import { Effect } from "effect"

const webhookHistoryDays = setting({
  variable: "WEBHOOK_HISTORY_DAYS",
  decides: "How many days webhook events and deliveries are kept at least; whole months go once all of them is older.",
  expects: "a whole number from 1 to 3650",
  fallback: "90",
  parse: parseInteger(1, 3_650)
})

const notificationDays = setting({
  variable: "NOTIFICATION_DAYS",
  decides: "How many days notifications are kept.",
  expects: "a whole number from 1 to 3650",
  fallback: "90",
  parse: parseInteger(1, 3_650)
})

const activityDays = setting({
  variable: "ACTIVITY_DAYS",
  decides: "How many days entries of the activity feed are kept.",
  expects: "a whole number from 1 to 3650",
  fallback: "400",
  parse: parseInteger(1, 3_650)
})

/** Every setting of the admin program, for the documentation. */
export const SETTINGS = [
  settings.databaseUrl,
  settings.secretsKey,
  settings.logLevel,
  webhookHistoryDays,
  notificationDays,
  activityDays
]

/** The settings; fails with SettingInvalid, which names the variable. */
export const config = Effect.all({
  databaseUrl: read(settings.databaseUrl),
  webhookHistoryDays: read(webhookHistoryDays),
  feedRetention: Effect.all({ notificationDays: read(notificationDays), activityDays: read(activityDays) })
})

/** What commands that open or seal secrets need beside them. */
export const secretsConfig = Effect.all({ secretsKey: read(settings.secretsKey) })
