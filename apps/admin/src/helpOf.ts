import { VERSION } from "@agent-platform/process"
import { Effect } from "effect"
import { CliOutput, Command, type HelpDoc } from "effect/cli"
import { program } from "./program.ts"

/** The help of the command with this path, as data. */
export const helpOf = Effect.fnUntraced(function* (path: ReadonlyArray<string>) {
  let help: HelpDoc.HelpDoc | undefined
  const present: CliOutput.Presenter["present"] = (event) =>
    Effect.sync(() => {
      if (event._tag === "Help") help = event.helpDoc
    })
  yield* Command.runWith(program, { version: VERSION })([...path, "--help"]).pipe(
    Effect.provideService(CliOutput.Presenter, { present }),
    Effect.orDie
  )
  return help === undefined ? yield* Effect.die(new Error(`There is no help for ${path.join(" ")}`)) : help
})
