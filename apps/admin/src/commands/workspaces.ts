import { SecretUnreadable } from "@agent-platform/kernel"
import { Tenancy } from "@agent-platform/keys"
import { CommandRefused } from "@agent-platform/process"
import { DateTime, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { databaseCommand } from "../databaseCommand.ts"
import { described, JsonFlag } from "../described.ts"
import { AN_ERASURE, eraseByOperator, erasingFlags } from "../erasing.ts"
import {
  allowPlatformKeysFlag,
  capChangeFlag,
  monthlyCapFlag,
  nameFlag,
  organizationFlag,
  retentionFlag,
  timezoneChangeFlag,
  timezoneFlag,
  workspaceIdFlag
} from "../flags.ts"
import { everyPage, explainRefusals, GRANTOR, operatorIn, workspaceOf } from "../operator.ts"
import { printJson, printRows } from "../printed.ts"
import { workspaceRow } from "../rows.ts"
import { A_WORKSPACE, AN_ORGANIZATION } from "../shapes.ts"

const OF_ACME = `--organization ${AN_ORGANIZATION.id}`

const SEALED_TEMPLATES =
  "The organization has templates with secrets, which the workspace is to get. Set SECRETS_KEY as the apps have it"

const create = databaseCommand({
  name: "create",
  does: "Create a workspace, which gets the templates of its organization; prints JSON",
  examples: [
    `workspaces create ${OF_ACME} --name Customer`,
    `workspaces create ${OF_ACME} --name Customer --timezone Asia/Kolkata --monthly-cap-usd 250.00`
  ],
  prints: A_WORKSPACE,
  flags: {
    organization: organizationFlag,
    name: nameFlag("name", "Name of the workspace"),
    timezone: timezoneFlag,
    monthlyCapUsd: monthlyCapFlag
  },
  run: Effect.fn(function* ({ monthlyCapUsd, name, organization, timezone }) {
    const tenancy = yield* Tenancy
    const caller = yield* operatorIn(organization)
    const { value } = yield* tenancy
      .createWorkspace({
        caller,
        by: GRANTOR,
        name,
        timezone,
        monthlyCapUsd,
        // The default of the HTTP interface, too; `update` changes it.
        allowPlatformKeys: false,
        idempotency: undefined
      })
      .pipe(
        explainRefusals,
        Effect.catchDefect((defect) =>
          defect instanceof SecretUnreadable
            ? Effect.fail(new CommandRefused({ message: SEALED_TEMPLATES }))
            : Effect.die(defect)
        )
      )
    yield* printJson(workspaceRow(value, yield* DateTime.now))
  })
})

const list = databaseCommand({
  name: "list",
  does: "List an organization's workspaces, newest first",
  examples: [`workspaces list ${OF_ACME}`, `workspaces list ${OF_ACME} --json`],
  prints: { items: [A_WORKSPACE] },
  flags: { organization: organizationFlag },
  run: Effect.fn(function* ({ organization }) {
    const tenancy = yield* Tenancy
    const caller = yield* operatorIn(organization)
    const workspaces = yield* everyPage((page) => tenancy.listWorkspaces({ caller, page }))
    const now = yield* DateTime.now
    const rows = workspaces.map((workspace) => workspaceRow(workspace, now))
    yield* printRows(rows, ["id", "name", "timezone", "monthly_cap_usd", "created_at"], yield* JsonFlag)
  })
})

const whose = { organization: organizationFlag, workspace: workspaceIdFlag }

const show = databaseCommand({
  name: "show",
  does: "Show a workspace; prints JSON",
  examples: [
    `workspaces show ${OF_ACME} --workspace ${A_WORKSPACE.id}`,
    'workspaces show --organization Acme --workspace "Customer 7"'
  ],
  prints: A_WORKSPACE,
  flags: whose,
  run: Effect.fn(function* ({ organization, workspace }) {
    const { found } = yield* workspaceOf(organization, workspace)
    yield* printJson(workspaceRow(found, yield* DateTime.now))
  })
})

const update = databaseCommand({
  name: "update",
  does: "Change a workspace: its name, time zone (from the next month on), cap, days of retention, and whether platform keys serve it; prints JSON",
  examples: [
    `workspaces update ${OF_ACME} --workspace ${A_WORKSPACE.id} --name "Customer 7"`,
    `workspaces update ${OF_ACME} --workspace ${A_WORKSPACE.id} --monthly-cap-usd none --allow-platform-keys true --timezone UTC`,
    `workspaces update ${OF_ACME} --workspace ${A_WORKSPACE.id} --retention-days 30`
  ],
  prints: A_WORKSPACE,
  flags: {
    ...whose,
    name: nameFlag("name", "Its new name").pipe(Flag.optional),
    timezone: timezoneChangeFlag,
    monthlyCapUsd: capChangeFlag,
    allowPlatformKeys: allowPlatformKeysFlag,
    retentionDays: retentionFlag
  },
  run: Effect.fn(function* ({
    allowPlatformKeys,
    monthlyCapUsd,
    name,
    organization,
    retentionDays,
    timezone,
    workspace
  }) {
    const tenancy = yield* Tenancy
    const { caller, found } = yield* workspaceOf(organization, workspace)
    const changed = yield* tenancy
      .updateWorkspace({
        caller,
        by: GRANTOR,
        workspaceId: found.id,
        name: Option.getOrUndefined(name),
        timezone: Option.getOrUndefined(timezone),
        monthlyCapUsd: Option.getOrUndefined(monthlyCapUsd),
        allowPlatformKeys: Option.getOrUndefined(allowPlatformKeys),
        retentionDays: Option.getOrUndefined(retentionDays)
      })
      .pipe(explainRefusals)
    yield* printJson(workspaceRow(changed, yield* DateTime.now))
  })
})

const erase = databaseCommand({
  name: "erase",
  does: "Erase a workspace with everything in it, for good: its keys are unknown at once; the workers do the rest",
  examples: [
    `workspaces erase ${OF_ACME} --workspace ${A_WORKSPACE.id} --dry-run`,
    `workspaces erase ${OF_ACME} --workspace ${A_WORKSPACE.id} --confirm ${A_WORKSPACE.id} --wait-seconds 600`
  ],
  prints: { ...AN_ERASURE, kind: "workspace", resource_id: A_WORKSPACE.id },
  flags: { ...whose, ...erasingFlags },
  run: Effect.fn(function* ({ organization, workspace, ...erasing }) {
    const { organizationId } = yield* operatorIn(organization)
    // A workspace under erasure cannot be looked up any more, so an id is taken as it is.
    const subjectId = "id" in workspace ? workspace.id : (yield* workspaceOf(organization, workspace)).found.id
    yield* eraseByOperator({ kind: "workspace", organizationId, workspaceId: null, subjectId }, erasing)
  })
})

/** Commands about workspaces. */
export const workspaces = Command.make("workspaces").pipe(
  described({ does: "Workspaces of an organization", examples: [`workspaces list ${OF_ACME}`] }),
  Command.withSubcommands([create, list, show, update, erase])
)
