/** Judges the settings of this process, and whether what is sealed opens with them. */
import { type ResealedStore, resealSecrets } from "@agent-platform/platform"
import { read, readEgress, type Setting, type SettingInvalid } from "@agent-platform/process"
import type { DatabaseUrl } from "@agent-platform/toolkit"
import { Effect, type Redacted } from "effect"
import { SETTINGS } from "../config.ts"
import { layerSecrets } from "../layers.ts"
import { admittedFindings } from "./egressFinding.ts"
import { type Finding, found, ok } from "./Finding.ts"

/** How many pages of each store are tried: a wrong key shows on the first, and an examination should end soon. */
const PAGES_TRIED = 2

/** A Unix socket, or the loopback. */
const isHere = (host: string) =>
  host.startsWith("/") || host === "localhost" || host === "::1" || host.startsWith("127.")

const settingFinding = (setting: Setting<unknown>) =>
  read(setting).pipe(
    Effect.match({
      onSuccess: () => undefined,
      onFailure: (invalid: SettingInvalid) =>
        found("problem", "configuration.settings", invalid.message, `Set ${setting.variable} to ${setting.expects}.`)
    })
  )

/** Findings about each setting, and about what the egress settings admit beside public addresses. */
export const settingFindings = Effect.gen(function* () {
  const wrong = (yield* Effect.forEach(SETTINGS, settingFinding)).flatMap((finding) => finding ?? [])
  const findings: Array<Finding> =
    wrong.length > 0 ? wrong : [ok("configuration.settings", "Every setting can be read")]
  // Settings that cannot be read are among the findings already.
  const egress = yield* Effect.orElseSucceed(readEgress, () => undefined)
  if (egress !== undefined) findings.push(...admittedFindings(egress))
  return findings
})

/** The finding about the connection to the database. */
export const connectionFinding = ({ hosts, tls }: DatabaseUrl): Finding => {
  if (tls.mode !== "disable" || hosts.every(({ host }) => isHere(host))) {
    return ok("configuration.database_url", "The way to the database is encrypted, or on this machine")
  }
  return found(
    "notice",
    "configuration.database_url",
    "The connection to the database is not encrypted",
    "Add sslmode=verify-full, or require, to DATABASE_URL unless the network between is yours alone."
  )
}

/** The finding about secrets, by what became of those that were tried. */
export const secretFinding = (stores: ReadonlyArray<ResealedStore>): Finding => {
  const sum = (count: "current" | "resealed" | "unreadable") => stores.reduce((total, store) => total + store[count], 0)
  if (sum("unreadable") > 0) {
    const where = stores.filter(({ unreadable }) => unreadable > 0).map(({ name }) => name)
    return found(
      "problem",
      "configuration.secrets_key",
      `${sum("unreadable")} of the ${sum("unreadable") + sum("resealed") + sum("current")} secrets that were tried do not open, among ${where.join(", ")}`,
      "A key is missing from SECRETS_KEY: after the current one, add the one under which they were sealed."
    )
  }
  if (sum("resealed") > 0) {
    return found(
      "notice",
      "configuration.secrets_key",
      "Secrets open, and some are sealed under an older key",
      "Run 'admin secrets rewrap' before that key leaves SECRETS_KEY."
    )
  }
  return ok("configuration.secrets_key", "Secrets open with SECRETS_KEY")
}

/** Tries to open some secrets of every kind. */
export const trySecrets = (url: Redacted.Redacted, secretsKey: Redacted.Redacted) =>
  resealSecrets({ dryRun: true, pagesMax: PAGES_TRIED, onProgress: () => Effect.void }).pipe(
    Effect.map(secretFinding),
    Effect.provide(layerSecrets(url, secretsKey)),
    Effect.catchTag("SettingInvalid", ({ message }) =>
      Effect.succeed(
        found("problem", "configuration.secrets_key", message, "Set SECRETS_KEY as the other processes have it.")
      )
    )
  )
