import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { emailFlag, nameFlag, timezoneFlag } from "../flags.ts"
import { found } from "../founding.ts"
import { inWords, overDatabase } from "../operator.ts"
import { printJson } from "../printed.ts"

const flags = {
  organization: nameFlag("organization", "Name of the organization"),
  workspace: nameFlag("workspace", "Name of its first workspace").pipe(Flag.withDefault("default")),
  timezone: timezoneFlag,
  owner: emailFlag("owner", "Whom to invite as its first owner").pipe(Flag.optional)
}

/** Creates an organization, its first workspace, and a key for each; prints them as JSON, the keys this once. */
export const bootstrap = Command.make("bootstrap", flags, ({ owner, ...names }) =>
  overDatabase(found({ ...names, ownerEmail: Option.getOrUndefined(owner) }).pipe(inWords, Effect.flatMap(printJson)))
).pipe(Command.withDescription("Create an organization with its first workspace, keys and perhaps an owner"))
