/** Every command of the program by its path, for its reference and for the tests that hold it to that. */
import type { Command } from "effect/cli"
import { program } from "./program.ts"

export interface ListedCommand {
  /** The words behind `admin`; none for the program itself. */
  readonly path: ReadonlyArray<string>
  readonly command: Command.Command.Any
}

/** The command at this path, and all commands below it. */
const withSubcommands = (command: Command.Command.Any, path: ReadonlyArray<string>): ReadonlyArray<ListedCommand> => [
  { path, command },
  ...command.subcommands.flatMap(({ commands }) => commands.flatMap((one) => withSubcommands(one, [...path, one.name])))
]

/** Every command, each before what is below it. */
export const commands: ReadonlyArray<ListedCommand> = withSubcommands(program, [])

/** The command that a command line names. */
export const commandOf = (args: ReadonlyArray<string>): Command.Command.Any =>
  commands.findLast(({ path }) => path.every((word, index) => args[index] === word))?.command ?? program
