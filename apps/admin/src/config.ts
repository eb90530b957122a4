import { read, settings } from "@agent-platform/process"
import { Effect } from "effect"

/** Every setting of the admin program, for the documentation. */
export const SETTINGS = [settings.databaseUrl, settings.secretsKey, settings.logLevel]

/** The settings; fails with SettingInvalid, which names the variable. */
export const config = Effect.all({ databaseUrl: read(settings.databaseUrl) })

/** What commands that open or seal secrets need beside them. */
export const secretsConfig = Effect.all({ secretsKey: read(settings.secretsKey) })
