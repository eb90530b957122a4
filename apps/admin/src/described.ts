/** A command's description of itself: for its help, in the reference, and to the tests that hold it to what it promises. */
import { Context } from "effect"
import { Command, Flag, GlobalFlag } from "effect/cli"

/** Whether JSON is to be printed; every command takes the flag. */
export const Json = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(Flag.withDescription("Print JSON and nothing else"), Flag.withDefault(false))
})

/** An example of the JSON that a command prints, whose names and types are promised; undefined for one that prints none. */
export class Printed extends Context.Service<Printed, unknown>()("@agent-platform/admin/Printed") {}

export interface Description {
  /** The purpose, in a sentence. */
  readonly does: string
  /** Command lines behind `admin`, each of which works, the plainest first; together they show every flag. */
  readonly examples: ReadonlyArray<string>
  readonly prints?: unknown
}

/** Describes a command. */
export const described =
  ({ does, examples, prints }: Description) =>
  <Name extends string, Input, ContextInput, E, R>(command: Command.Command<Name, Input, ContextInput, E, R>) =>
    command.pipe(
      Command.withDescription(does),
      Command.withExamples(examples.map((line) => ({ command: `admin ${line}` }))),
      Command.annotate(Printed, prints)
    )
