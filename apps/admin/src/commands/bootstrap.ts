import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { described } from "../described.ts"
import { emailFlag, nameFlag, timezoneFlag } from "../flags.ts"
import { foundWithKeys } from "../founding.ts"
import { inWords, overDatabase } from "../operator.ts"
import { printJson } from "../printed.ts"
import { A_MEMBER, A_WORKSPACE, AN_ORGANIZATION } from "../shapes.ts"

const flags = {
  organization: nameFlag("organization", "Name of the organization"),
  workspace: nameFlag("workspace", "Name of its first workspace; 'default' without it").pipe(
    Flag.withDefault("default")
  ),
  timezone: timezoneFlag,
  owner: emailFlag("owner", "Whom to invite as its first owner").pipe(Flag.optional)
}

/** Creates an organization, its first workspace, and a key for each; prints them as JSON, the keys this once. */
export const bootstrap = Command.make("bootstrap", flags, ({ owner, ...names }) =>
  overDatabase(
    foundWithKeys({ ...names, ownerEmail: Option.getOrUndefined(owner) }).pipe(inWords, Effect.flatMap(printJson))
  )
).pipe(
  described({
    does: "Create an organization with its first workspace, a key for each and perhaps an owner; prints JSON, the keys this once",
    examples: [
      "bootstrap --organization Acme",
      "bootstrap --organization Acme --workspace Main --timezone Europe/Berlin --owner ada@example.com"
    ],
    prints: {
      organization_id: AN_ORGANIZATION.id,
      org_key: "apk_org_\u2026",
      workspace_id: A_WORKSPACE.id,
      workspace_key: "apk_ws_\u2026",
      owner: { id: A_MEMBER.id, email: A_MEMBER.email, status: "invited" }
    }
  })
)
