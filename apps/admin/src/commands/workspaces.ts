import { Tenancy } from "@agent-platform/keys"
import { DateTime, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { described, Json } from "../described.ts"
import {
  allowPlatformKeysFlag,
  capChangeFlag,
  monthlyCapFlag,
  nameFlag,
  organizationFlag,
  timezoneChangeFlag,
  timezoneFlag,
  workspaceIdFlag
} from "../flags.ts"
import { everyPage, GRANTOR, inWords, operatorIn, overDatabase, workspaceOf } from "../operator.ts"
import { printJson, printRows } from "../printed.ts"
import { workspaceRow } from "../rows.ts"
import { A_WORKSPACE, AN_ORGANIZATION } from "../shapes.ts"

const OF_ACME = `--organization ${AN_ORGANIZATION.id}`

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
            by: GRANTOR,
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
).pipe(
  described({
    does: "Create a workspace; prints JSON",
    examples: [
      `workspaces create ${OF_ACME} --name Customer`,
      `workspaces create ${OF_ACME} --name Customer --timezone Asia/Kolkata --monthly-cap-usd 250.00`
    ],
    prints: A_WORKSPACE
  })
)

const list = Command.make("list", { organization: organizationFlag }, ({ organization }) =>
  overDatabase(
    Effect.gen(function* () {
      const tenancy = yield* Tenancy
      const caller = yield* operatorIn(organization)
      const workspaces = yield* everyPage((page) => tenancy.listWorkspaces({ caller, page }))
      const now = yield* DateTime.now
      const rows = workspaces.map((workspace) => workspaceRow(workspace, now))
      yield* printRows(rows, ["id", "name", "timezone", "monthly_cap_usd", "created_at"], yield* Json)
    })
  )
).pipe(
  described({
    does: "List an organization's workspaces, newest first",
    examples: [`workspaces list ${OF_ACME}`, `workspaces list ${OF_ACME} --json`],
    prints: { items: [A_WORKSPACE] }
  })
)

const whose = { organization: organizationFlag, workspace: workspaceIdFlag }

const show = Command.make("show", whose, ({ organization, workspace }) =>
  overDatabase(
    Effect.gen(function* () {
      const { found } = yield* workspaceOf(organization, workspace)
      yield* printJson(workspaceRow(found, yield* DateTime.now))
    })
  )
).pipe(
  described({
    does: "Show a workspace; prints JSON",
    examples: [`workspaces show ${OF_ACME} --workspace ${A_WORKSPACE.id}`],
    prints: A_WORKSPACE
  })
)

const update = Command.make(
  "update",
  {
    ...whose,
    name: nameFlag("name", "Its new name").pipe(Flag.optional),
    timezone: timezoneChangeFlag,
    monthlyCapUsd: capChangeFlag,
    allowPlatformKeys: allowPlatformKeysFlag
  },
  ({ allowPlatformKeys, monthlyCapUsd, name, organization, timezone, workspace }) =>
    overDatabase(
      Effect.gen(function* () {
        const tenancy = yield* Tenancy
        const caller = yield* operatorIn(organization)
        const changed = yield* tenancy
          .updateWorkspace({
            caller,
            by: GRANTOR,
            workspaceId: workspace,
            name: Option.getOrUndefined(name),
            timezone: Option.getOrUndefined(timezone),
            monthlyCapUsd: Option.getOrUndefined(monthlyCapUsd),
            allowPlatformKeys: Option.getOrUndefined(allowPlatformKeys)
          })
          .pipe(inWords)
        yield* printJson(workspaceRow(changed, yield* DateTime.now))
      })
    )
).pipe(
  described({
    does: "Change a workspace: its name, time zone (from the next month on), cap, and whether platform keys serve it; prints JSON",
    examples: [
      `workspaces update ${OF_ACME} --workspace ${A_WORKSPACE.id} --name "Customer 7"`,
      `workspaces update ${OF_ACME} --workspace ${A_WORKSPACE.id} --monthly-cap-usd none --allow-platform-keys true --timezone UTC`
    ],
    prints: A_WORKSPACE
  })
)

/** Commands about workspaces. */
export const workspaces = Command.make("workspaces").pipe(
  described({ does: "Workspaces of an organization", examples: [`workspaces list ${OF_ACME}`] }),
  Command.withSubcommands([create, list, show, update])
)
