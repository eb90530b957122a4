import { layerClient, schemaState } from "@agent-platform/postgres"
import { Console, Data, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { config } from "../config.ts"
import { bringUpToDate } from "../schema.ts"

/** `migrate --check` found a database that is not up to date; the exit code is 1. */
export class NotUpToDate extends Data.TaggedError("NotUpToDate")<{ readonly state: string }> {
  override get message() {
    return `The schema of the database is ${this.state}`
  }
}

const check = Flag.Boolean("check").pipe(
  Flag.withDescription("Change nothing; exit with 1 unless the schema is current"),
  Flag.withDefault(false)
)

/** Brings the schema of the database and of its queue up to date. */
export const migrate = Command.make(
  "migrate",
  { check },
  Effect.fn(function* (flags) {
    const { databaseUrl } = yield* config
    if (flags.check) {
      const state = yield* Effect.provide(schemaState, layerClient({ url: databaseUrl, maxConnections: 1 }))
      if (state !== "current") return yield* new NotUpToDate({ state })
      return yield* Console.log("The schema is current")
    }
    const run = yield* bringUpToDate(databaseUrl)
    yield* Console.log(run.length === 0 ? "The schema was current" : `Ran ${run.join(", ")}`)
  })
).pipe(Command.withDescription("Bring the database up to date; safe beside others and beside running apps"))
