import { parseInteger, read, setting, settings } from "@agent-platform/process"
import { Effect } from "effect"

const webhookHistoryDays = setting({
  variable: "WEBHOOK_HISTORY_DAYS",
  decides: "How many days webhook events and deliveries are kept at least; whole months go once all of them is older.",
  expects: "a whole number from 1 to 3650",
  fallback: "90",
  parse: parseInteger(1, 3_650)
})

/** Every setting of the admin program, for the documentation. */
export const SETTINGS = [
  settings.databaseUrl,
  settings.secretsKey,
  settings.logLevel,
  ...settings.observability,
  webhookHistoryDays
]

/** The settings; fails with SettingInvalid, which names the variable. */
export const config = Effect.all({
  databaseUrl: read(settings.databaseUrl),
  webhookHistoryDays: read(webhookHistoryDays)
})

/** What commands that open or seal secrets need beside them. */
export const secretsConfig = Effect.all({ secretsKey: read(settings.secretsKey) })
