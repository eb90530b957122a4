import {
  layerClient,
  MigrationWaitSeconds,
  type PreviewedLock,
  previewMigrations,
  schemaState
} from "@agent-platform/postgres"
import { CommandRefused } from "@agent-platform/process"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { checkDatabase } from "../checkDatabase.ts"
import { config } from "../config.ts"
import { described, JsonFlag } from "../described.ts"
import { countFlag, switchFlag } from "../flags.ts"
import { migrateDatabase } from "../migrateDatabase.ts"
import { printJson } from "../printed.ts"

const check = switchFlag("check", "Change nothing; exit with 3 unless the schema is current")

const preview = switchFlag("preview", "Change nothing; print what each pending step would lock, and how large that is")

const waitSeconds = countFlag("wait-seconds", "N", "How long a step tries to get a table that is in use", {
  minimum: 0,
  maximum: 86_400,
  otherwise: 60
})

const lockLine = ({ bytes, isLong, lock, rows, table }: PreviewedLock) =>
  `  ${table}: ${lock}${isLong ? " while it goes through the rows" : " for a moment"}; ` +
  `about ${rows} rows, ${(bytes / 1024 ** 2).toFixed(1)} MiB`

/** Brings the schema of the database and of its queue up to date. */
export const migrate = Command.make(
  "migrate",
  { check, preview, waitSeconds },
  Effect.fn(function* (flags) {
    const { databaseOwnerUrl, databaseUrl } = yield* config
    const json = yield* JsonFlag
    if (flags.check) {
      const state = yield* Effect.provide(schemaState, layerClient({ url: databaseUrl, maxConnections: 1 }))
      if (json) yield* printJson({ state, ran: [] })
      if (state !== "current") {
        return yield* new CommandRefused({ message: `The schema of the database is ${state}` })
      }
      return json ? undefined : yield* Console.log("The schema is current")
    }
    if (flags.preview) {
      const steps = yield* checkDatabase(databaseUrl).pipe(
        Effect.andThen(previewMigrations()),
        Effect.catchTag(["DatabaseAhead", "DatabaseTooOld"], ({ message }) => new CommandRefused({ message })),
        Effect.provide(layerClient({ url: databaseUrl, maxConnections: 1 }))
      )
      if (json) return yield* printJson({ state: steps.length === 0 ? "current" : "pending", ran: [], steps })
      if (steps.length === 0) return yield* Console.log("The schema is current")
      return yield* Console.log(steps.flatMap(({ locks, name }) => [name, ...locks.map(lockLine)]).join("\n"))
    }
    const run = yield* migrateDatabase(databaseUrl, databaseOwnerUrl ?? databaseUrl).pipe(
      Effect.provideService(MigrationWaitSeconds, flags.waitSeconds)
    )
    if (json) return yield* printJson({ state: "current", ran: run })
    yield* Console.log(run.length === 0 ? "The schema was current" : `Ran ${run.join(", ")}`)
  })
).pipe(
  described({
    does: "Bring the database and its queue up to date; safe beside others and beside running apps",
    examples: ["migrate", "migrate --preview", "migrate --wait-seconds 600", "migrate --check --json"],
    prints: { state: "current", ran: ["runs_0001_first"] }
  })
)
