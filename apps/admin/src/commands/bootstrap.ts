import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { config } from "../config.ts"
import { found } from "../founding.ts"
import { layerCommand } from "../layers.ts"

const flags = {
  organization: Flag.String("organization").pipe(Flag.withDescription("Name of the organization")),
  workspace: Flag.String("workspace").pipe(
    Flag.withDescription("Name of its first workspace"),
    Flag.withDefault("default")
  ),
  timezone: Flag.String("timezone").pipe(
    Flag.withDescription("Time zone of the workspace, as in Europe/Berlin"),
    Flag.withDefault("UTC")
  )
}

/** Creates an organization, its first workspace, and a key for each; prints them as JSON, the keys this once. */
export const bootstrap = Command.make(
  "bootstrap",
  flags,
  Effect.fn(function* (names) {
    const { databaseUrl } = yield* config
    const founded = yield* Effect.provide(found(names), layerCommand(databaseUrl))
    yield* Console.log(JSON.stringify(founded, null, 2))
  })
).pipe(Command.withDescription("Create an organization with its first workspace and keys"))
