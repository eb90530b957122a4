import { layerClient, schemaState } from "@agent-platform/postgres"
import { CommandRefused } from "@agent-platform/process"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { config } from "../config.ts"
import { described, Json } from "../described.ts"
import { switchFlag } from "../flags.ts"
import { printJson } from "../printed.ts"
import { migrateDatabase } from "../schema.ts"

const check = switchFlag("check", "Change nothing; exit with 3 unless the schema is current")

/** Brings the schema of the database and of its queue up to date. */
export const migrate = Command.make(
  "migrate",
  { check },
  Effect.fn(function* (flags) {
    const { databaseOwnerUrl, databaseUrl } = yield* config
    const json = yield* Json
    if (flags.check) {
      const state = yield* Effect.provide(schemaState, layerClient({ url: databaseUrl, maxConnections: 1 }))
      if (json) yield* printJson({ state, ran: [] })
      if (state !== "current") {
        return yield* new CommandRefused({ message: `The schema of the database is ${state}` })
      }
      return json ? undefined : yield* Console.log("The schema is current")
    }
    const run = yield* migrateDatabase(databaseUrl, databaseOwnerUrl ?? databaseUrl)
    if (json) return yield* printJson({ state: "current", ran: run })
    yield* Console.log(run.length === 0 ? "The schema was current" : `Ran ${run.join(", ")}`)
  })
).pipe(
  described({
    does: "Bring the database and its queue up to date; safe beside others and beside running apps",
    examples: ["migrate", "migrate --check --json"],
    prints: { state: "current", ran: ["runs_0001_first"] }
  })
)
