import { faultOf } from "@agent-platform/platform"
import { askDatabase, type DatabasePooled, requireSessions } from "@agent-platform/postgres"
import { CommandFailed, type Setting, SettingInvalid, settings } from "@agent-platform/process"
import { Cause, Effect, type Redacted } from "effect"

/** A pooler that the platform does not work over is a wrong setting. */
export const pooledAs =
  ({ variable }: Setting<unknown>) =>
  ({ detail }: DatabasePooled): SettingInvalid =>
    new SettingInvalid({ variable, detail })

/**
 * Makes sure of the database before anything is begun. Fails with CommandFailed, which says in a line why it cannot be reached, or
 * with SettingInvalid where sessions over this URL, which is that of the setting, are not our own.
 */
export const reached = (url: Redacted.Redacted, setting: Setting<unknown> = settings.databaseUrl) =>
  Effect.andThen(requireSessions(url), askDatabase).pipe(
    Effect.catchTags({
      DatabasePooled: (error) => pooledAs(setting)(error),
      SqlError: (error) =>
        new CommandFailed({ message: `The database cannot be reached: ${faultOf(Cause.fail(error))}` })
    })
  )
