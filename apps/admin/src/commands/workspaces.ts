import { Tenancy } from "@agent-platform/keys"
import { DateTime, Effect } from "effect"
import { Command } from "effect/cli"
import { jsonFlag, monthlyCapFlag, nameFlag, organizationFlag, timezoneFlag } from "../flags.ts"
import { everyPage, inWords, operatorIn, overDatabase } from "../operator.ts"
import { printJson, printRows } from "../printed.ts"
import { workspaceRow } from "../rows.ts"

const create = Command.make(
  "create",
  {
    organization: organizationFlag,
    name: nameFlag("name", "Name of the workspace"),
    timezone: timezoneFlag,
    monthlyCapUsd: monthlyCapFlag
  },
  ({ monthlyCapUsd, name, organization, timezone }) =>
    overDatabase(
      Effect.gen(function* () {
        const tenancy = yield* Tenancy
        const caller = yield* operatorIn(organization)
        const { value } = yield* tenancy
          .createWorkspace({
            caller,
            name,
            timezone,
            monthlyCapUsd,
            allowPlatformKeys: false,
            idempotency: undefined
          })
          .pipe(inWords)
        yield* printJson(workspaceRow(value, yield* DateTime.now))
      })
    )
).pipe(Command.withDescription("Create a workspace; prints JSON"))

const list = Command.make("list", { organization: organizationFlag, json: jsonFlag }, ({ json, organization }) =>
  overDatabase(
    Effect.gen(function* () {
      const tenancy = yield* Tenancy
      const caller = yield* operatorIn(organization)
      const workspaces = yield* everyPage((page) => tenancy.listWorkspaces({ caller, page }))
      const now = yield* DateTime.now
      const rows = workspaces.map((workspace) => workspaceRow(workspace, now))
      yield* printRows(rows, ["id", "name", "timezone", "monthly_cap_usd", "created_at"], json)
    })
  )
).pipe(Command.withDescription("List an organization's workspaces, newest first"))

/** What an operator does about workspaces. */
export const workspaces = Command.make("workspaces").pipe(
  Command.withDescription("Workspaces of an organization"),
  Command.withSubcommands([create, list])
)
