import {
  EGRESS_SETTINGS,
  parseInteger,
  QUOTA_SETTINGS,
  readAll,
  type Setting,
  setting,
  settingOr,
  settings,
  settingsIn,
  wholeSetting
} from "@agent-platform/process"
import { RUN_HISTORY_DAYS_MIN } from "@agent-platform/runs"
import type { Effect, Redacted } from "effect"

const webhookHistoryDays = wholeSetting(
  "WEBHOOK_HISTORY_DAYS",
  "How many days webhook events and deliveries are kept at least; a month goes as a whole, once all of it is older.",
  [1, 3_650],
  90
)

const runHistoryDays = settingOr("never", null, {
  variable: "RUN_HISTORY_DAYS",
  decides:
    "How many days a session is kept, with its runs and logs, after its last run has ended. See " +
    "[what grows](operations.md#what-grows).",
  expects: `a whole number from ${RUN_HISTORY_DAYS_MIN} to 3650`,
  parse: parseInteger(RUN_HISTORY_DAYS_MIN, 3_650)
})

const notificationDays = wholeSetting("NOTIFICATION_DAYS", "How many days notifications are kept.", [1, 3_650], 90)

const activityDays = wholeSetting(
  "ACTIVITY_DAYS",
  "How many days entries of the activity feed are kept.",
  [1, 3_650],
  400
)

/** The fallback of `DATABASE_OWNER_URL`, which is no URL: apps and owner are the same role. */
const SAME = "DATABASE_URL"

export const databaseOwnerUrl = setting<Redacted.Redacted | null>({
  variable: "DATABASE_OWNER_URL",
  decides:
    "The same database by the role that owns its tables. Only `migrate` uses it, and `doctor` checks its form; give it to no app. See " +
    "[database roles](operations.md#database-roles).",
  expects: settings.databaseUrl.expects,
  fallback: SAME,
  parse: (text) => (text === SAME ? null : settings.databaseUrl.parse(text))
})

const database = { databaseUrl: settings.databaseUrl, databaseOwnerUrl }

const history = {
  webhookHistoryDays,
  runHistoryDays,
  feedRetention: { notificationDays, activityDays },
  noticesMax: QUOTA_SETTINGS.notices
}

/** Every setting of the admin program, for the documentation and in the order in which `doctor` names them. */
export const SETTINGS: ReadonlyArray<Setting<unknown>> = [
  ...new Set<Setting<unknown>>([
    ...settingsIn(database),
    settings.databaseReplicaUrl,
    settings.databaseSchema,
    settings.databasePoolMax,
    settings.secretsKey,
    settings.logLevel,
    ...settings.observability,
    ...EGRESS_SETTINGS,
    ...settingsIn(history)
  ])
]

/** The settings; fails with SettingInvalid, which names the variable. */
export const config = readAll({ ...database, ...history })

/** The settings of every command over a database. */
export type AdminSettings = Effect.Success<typeof config>
