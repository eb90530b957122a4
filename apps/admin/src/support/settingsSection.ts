import { read, type Setting } from "@agent-platform/process"
import { parseDatabaseUrl } from "@agent-platform/toolkit"
import { Config, Effect, Option, Redacted, Result } from "effect"
import { SETTINGS } from "../config.ts"

/** Settings whose texts are chosen from few words, and say nothing about who runs this. */
const WORDS = new Set(["LOG_LEVEL", "BUILD_REVISION"])

/** The value where it is a number, a switch or one of a few words; of every other only whether there is one. */
const shownOf = ({ fallback, variable }: Setting<unknown>, value: unknown): unknown => {
  if (typeof value === "number" || typeof value === "boolean" || value === null) return value
  return typeof value === "string" && (WORDS.has(variable) || value === fallback) ? value : "set"
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

/** Every setting of the admin program by its name. Values of secrets, addresses and texts of one's own are only `set`. */
export const settingsSection = Effect.forEach(SETTINGS as ReadonlyArray<Setting<unknown>>, rowOf)
