import { read, type Setting } from "@agent-platform/process"
import { parseDatabaseUrl } from "@agent-platform/toolkit"
import { Config, Effect, Option, Redacted, Result } from "effect"
import { SETTINGS } from "../config.ts"

/** Settings whose texts may be shown, a level of logs and the revision of the code: they say nothing about who runs this. */
const SHOWN = new Set(["LOG_LEVEL", "BUILD_REVISION"])

/** The value where it is a number, a switch, its default, or in `SHOWN`; of every other only that there is one. */
const shownOf = ({ fallback, variable }: Setting<unknown>, value: unknown): unknown => {
  if (typeof value === "number" || typeof value === "boolean" || value === null) return value
  return typeof value === "string" && (SHOWN.has(variable) || value === fallback) ? value : "set"
}

/** How the database is reached, without where it is or by whom. */
const formOfUrl = (url: Redacted.Redacted) =>
  Result.match(parseDatabaseUrl(Redacted.value(url)), {
    onFailure: () => null,
    onSuccess: ({ connectSeconds, hosts, options, sessionAttributes, tls }) => ({
      hosts: hosts.length,
      unix_sockets: hosts.filter(({ host }) => host.startsWith("/")).length,
      sslmode: tls.mode,
      target_session_attrs: sessionAttributes,
      connect_timeout: connectSeconds,
      has_options: options !== undefined
    })
  })

const rowOf = Effect.fnUntraced(function* (setting: Setting<unknown>) {
  const { variable } = setting
  const given = Option.getOrElse(yield* Effect.orDie(Config.option(Config.String(variable))), () => "") !== ""
  return yield* read(setting).pipe(
    Effect.match({
      onFailure: () => ({ variable, is_given: given, is_valid: false, value: null, form: null }),
      onSuccess: (value) => ({
        variable,
        is_given: given,
        is_valid: true,
        value: shownOf(setting, value),
        form:
          Redacted.isRedacted(value) && variable.startsWith("DATABASE_") ? formOfUrl(value as Redacted.Redacted) : null
      })
    })
  )
})

/** The settings in a support bundle: every one of the admin program by its name. Values of secrets, addresses and texts of one's own are only `set`. */
export const settingsSection = Effect.forEach(SETTINGS as ReadonlyArray<Setting<unknown>>, rowOf)
