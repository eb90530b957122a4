import { Tenancy, TenancyStore } from "@agent-platform/keys"
import { DateTime, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { emailFlag, jsonFlag, nameFlag, timezoneFlag } from "../flags.ts"
import { everyPage, inWords, overDatabase } from "../operator.ts"
import { printJson, printRows } from "../printed.ts"
import { memberRow, organizationRow, workspaceRow } from "../rows.ts"

const create = Command.make(
  "create",
  {
    name: nameFlag("name", "Name of the organization"),
    workspaceName: nameFlag("workspace", "Name of its first workspace").pipe(Flag.withDefault("default")),
    timezone: timezoneFlag,
    owner: emailFlag("owner", "Whom to invite as its first owner").pipe(Flag.optional)
  },
  ({ owner, ...names }) =>
    overDatabase(
      Effect.gen(function* () {
        const tenancy = yield* Tenancy
        const founded = yield* tenancy
          .foundOrganization({ ...names, ownerEmail: Option.getOrUndefined(owner) })
          .pipe(inWords)
        yield* printJson({
          ...organizationRow(founded.organization),
          workspace: workspaceRow(founded.workspace, yield* DateTime.now),
          owner: founded.owner === null ? null : memberRow(founded.owner)
        })
      })
    )
).pipe(Command.withDescription("Create an organization with its first workspace, without keys; prints JSON"))

const list = Command.make("list", { json: jsonFlag }, ({ json }) =>
  overDatabase(
    Effect.gen(function* () {
      const store = yield* TenancyStore
      const organizations = yield* everyPage((page) => store.listOrganizations(page))
      yield* printRows(organizations.map(organizationRow), ["id", "name", "created_at"], json)
    })
  )
).pipe(Command.withDescription("List organizations, newest first"))

/** What an operator does about organizations. */
export const organizations = Command.make("organizations").pipe(
  Command.withDescription("Organizations"),
  Command.withSubcommands([create, list])
)
