import { read, settings } from "@agent-platform/process"
import { rotateRecordKey } from "@agent-platform/runs"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { config } from "../config.ts"
import { described, JsonFlag } from "../described.ts"
import { layerSecrets } from "../layers.ts"
import { printJson } from "../printed.ts"

/** Has another key sign records from now on; prints its id. Records that the earlier key signed can still be verified. */
const rotateKey = Command.make(
  "rotate-key",
  {},
  Effect.fn(function* () {
    const { databaseUrl } = yield* config
    const secretsKey = yield* read(settings.secretsKey)
    const key = yield* Effect.provide(rotateRecordKey(), layerSecrets(databaseUrl, secretsKey))
    if (yield* JsonFlag) return yield* printJson({ key_id: key.id })
    yield* Console.log(`Records are signed by the key ${key.id} from now on`)
  })
).pipe(
  described({
    does: "Have another key sign records from now on; the one before stays published",
    examples: ["records rotate-key", "records rotate-key --json"],
    prints: { key_id: "9f970e62df1e4363" }
  })
)

/** Commands about the records of runs. */
export const records = Command.make("records").pipe(
  described({ does: "The keys that sign records of runs", examples: ["records rotate-key"] }),
  Command.withSubcommands([rotateKey])
)
