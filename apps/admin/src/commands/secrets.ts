import { resealSecrets } from "@agent-platform/platform"
import { Console, Data, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { config, secretsConfig } from "../config.ts"
import { layerSecrets } from "../layers.ts"

/** Something that is sealed does not open with the keys that are configured; the exit code is 1. */
export class SecretsUnreadable extends Data.TaggedError("SecretsUnreadable")<{ readonly count: number }> {
  override get message() {
    return `${this.count} secrets do not open with the keys in SECRETS_KEY. They were left as they are`
  }
}

const flags = {
  dryRun: Flag.Boolean("dry-run").pipe(
    Flag.withDescription("Change nothing; count what would be sealed again"),
    Flag.withDefault(false)
  ),
  json: Flag.Boolean("json").pipe(Flag.withDescription("Print the outcome as JSON"), Flag.withDefault(false))
}

/** Seals everything under the first key of SECRETS_KEY. */
const rewrap = Command.make(
  "rewrap",
  flags,
  Effect.fn(function* ({ dryRun, json }) {
    const { databaseUrl } = yield* config
    const { secretsKey } = yield* secretsConfig
    const stores = yield* resealSecrets({
      dryRun,
      onProgress: ({ current, name, resealed, superseded, unreadable }) =>
        json
          ? Effect.void
          : Console.log(`${name}: ${resealed + current + superseded + unreadable} looked at, ${resealed} sealed again`)
    }).pipe(Effect.provide(layerSecrets(databaseUrl, secretsKey)))
    if (json) yield* Console.log(JSON.stringify({ dry_run: dryRun, stores }, null, 2))
    else {
      for (const { current, name, resealed, superseded, unreadable } of stores) {
        const done = dryRun ? "would be sealed again" : "sealed again"
        const rest = `${current} were under the current key, ${superseded} were changed meanwhile, ${unreadable} do not open`
        yield* Console.log(`All ${name}: ${resealed} ${done}, ${rest}`)
      }
    }
    const count = stores.reduce((sum, { unreadable }) => sum + unreadable, 0)
    if (count > 0) return yield* new SecretsUnreadable({ count })
  })
).pipe(
  Command.withDescription(
    "Seal all secrets under the first key of SECRETS_KEY; safe beside running apps, and to repeat"
  )
)

/** What an operator does about the keys that seal. */
export const secrets = Command.make("secrets").pipe(
  Command.withDescription("Secrets at rest"),
  Command.withSubcommands([rewrap])
)
