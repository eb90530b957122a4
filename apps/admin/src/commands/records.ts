import { rotateRecordKey } from "@agent-platform/runs"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { config, secretsConfig } from "../config.ts"
import { layerSecrets } from "../layers.ts"

/** Has another key sign records from now on; prints its id. What the one before signed can still be verified. */
const rotateKey = Command.make(
  "rotate-key",
  {},
  Effect.fn(function* () {
    const { databaseUrl } = yield* config
    const { secretsKey } = yield* secretsConfig
    const key = yield* Effect.provide(rotateRecordKey(), layerSecrets(databaseUrl, secretsKey))
    yield* Console.log(`Records are signed by the key ${key.id} from now on`)
  })
).pipe(Command.withDescription("Have another key sign records; the one before stays published"))

/** What an operator does about the records of runs. */
export const records = Command.make("records").pipe(
  Command.withDescription("The keys that sign records of runs"),
  Command.withSubcommands([rotateKey])
)
