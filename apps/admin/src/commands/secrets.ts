import { countSealed, resealSecrets, SEALED_STORES, seenOf } from "@agent-platform/platform"
import { CommandFailed, read, settings } from "@agent-platform/process"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { config } from "../config.ts"
import { described, JsonFlag } from "../described.ts"
import { switchFlag } from "../flags.ts"
import { layerSecrets } from "../layers.ts"
import { printJson } from "../printed.ts"
import { makeProgress } from "../progress.ts"

const flags = {
  dryRun: switchFlag("dry-run", "Change nothing; count what would be sealed again")
}

/** Seals everything under the first key of SECRETS_KEY. */
const rewrap = Command.make(
  "rewrap",
  flags,
  Effect.fn(function* ({ dryRun }) {
    const { databaseUrl } = yield* config
    const secretsKey = yield* read(settings.secretsKey)
    const seen = new Map<string, number>()
    const stores = yield* Effect.gen(function* () {
      const show = yield* makeProgress
      const total = yield* countSealed(yield* Effect.all(SEALED_STORES))
      return yield* resealSecrets({
        dryRun,
        onProgress: (store) => {
          seen.set(store.name, seenOf(store))
          const done = [...seen.values()].reduce((sum, count) => sum + count, 0)
          return show({ label: store.name, done, total })
        }
      })
    }).pipe(Effect.scoped, Effect.provide(layerSecrets(databaseUrl, secretsKey)))
    if (yield* JsonFlag) yield* printJson({ dry_run: dryRun, stores })
    else {
      for (const { current, name, resealed, superseded, unreadable } of stores) {
        const done = dryRun ? "would be sealed again" : "sealed again"
        const rest = `${current} were under the current key, ${superseded} were changed meanwhile, ${unreadable} do not open`
        yield* Console.log(`All ${name}: ${resealed} ${done}, ${rest}`)
      }
    }
    const count = stores.reduce((sum, { unreadable }) => sum + unreadable, 0)
    if (count > 0) {
      return yield* new CommandFailed({
        message: `${count} secrets do not open with the keys in SECRETS_KEY. They were left as they are`
      })
    }
  })
).pipe(
  described({
    does: "Seal all secrets under the first key of SECRETS_KEY; safe beside running apps, and to repeat",
    examples: ["secrets rewrap", "secrets rewrap --dry-run --json"],
    prints: {
      dry_run: false,
      stores: [{ name: "provider keys", resealed: 12, current: 3, superseded: 0, unreadable: 0 }]
    }
  })
)

/** Commands about the keys that seal secrets. */
export const secrets = Command.make("secrets").pipe(
  described({ does: "Secrets at rest", examples: ["secrets rewrap --dry-run"] }),
  Command.withSubcommands([rewrap])
)
