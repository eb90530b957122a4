import type { Effect } from "effect"
import { Command } from "effect/cli"
import { type CommandDescription, described } from "./described.ts"
import { overDatabase } from "./operator.ts"

/** A command with its description, which runs over the database of this deployment. */
export const databaseCommand = <const Name extends string, E, R, const Flags extends Command.Command.Config>({
  flags,
  name,
  run,
  ...description
}: CommandDescription & {
  readonly name: Name
  readonly flags: Flags
  readonly run: (given: Command.Command.Config.Infer<Flags>) => Effect.Effect<void, E, R>
}) => Command.make(name, flags, (given) => overDatabase(run(given))).pipe(described(description))
