import { faultOf } from "@agent-platform/platform"
import { askDatabase, type DatabasePooled, requireSessions } from "@agent-platform/postgres"
import { CommandFailed, type Setting, SettingInvalid, settings } from "@agent-platform/process"
import { Cause, Effect, type Redacted } from "effect"

/** Reports a pooler that the platform does not work over as a wrong value of this setting. */
export const pooledAs =
  ({ variable }: Setting<unknown>) =>
  ({ detail }: DatabasePooled): SettingInvalid =>
    new SettingInvalid({ variable, detail })

/**
 * Checks, before a command begins, that the database can be reached and gives us sessions of our own. Fails with CommandFailed, which
 * says in a line why it cannot be reached, or with SettingInvalid, which names the setting that the URL is from, over a pooler.
 */
export const checkDatabase = (url: Redacted.Redacted, setting: Setting<unknown> = settings.databaseUrl) =>
  Effect.andThen(requireSessions(url), askDatabase).pipe(
    Effect.catchTags({
      DatabasePooled: (error) => pooledAs(setting)(error),
      SqlError: (error) =>
        new CommandFailed({ message: `The database cannot be reached: ${faultOf(Cause.fail(error))}` })
    })
  )
