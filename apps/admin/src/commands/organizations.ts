import { Tenancy, TenancyStore } from "@agent-platform/keys"
import { DateTime, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { databaseCommand } from "../databaseCommand.ts"
import { described, JsonFlag } from "../described.ts"
import { AN_ERASURE, eraseByOperator, erasingFlags } from "../erasing.ts"
import { foundingFlags, nameFlag, organizationFlag } from "../flags.ts"
import { everyPage, explainRefusals, organizationOf } from "../operator.ts"
import { printJson, printRows } from "../printed.ts"
import { memberRow, organizationRow, workspaceRow } from "../rows.ts"
import { A_MEMBER, A_WORKSPACE, AN_ORGANIZATION } from "../shapes.ts"

const create = databaseCommand({
  name: "create",
  does: "Create an organization with its first workspace and perhaps an owner, without keys; prints JSON",
  examples: [
    "organizations create --name Acme",
    "organizations create --name Acme --workspace Main --timezone Europe/Berlin --owner ada@example.com"
  ],
  prints: { ...AN_ORGANIZATION, workspace: A_WORKSPACE, owner: A_MEMBER },
  flags: { name: nameFlag("name", "Name of the organization"), ...foundingFlags },
  run: Effect.fn(function* ({ owner, ...names }) {
    const tenancy = yield* Tenancy
    const founded = yield* tenancy
      .foundOrganization({ ...names, ownerEmail: Option.getOrUndefined(owner) })
      .pipe(explainRefusals)
    yield* printJson({
      ...organizationRow(founded.organization),
      workspace: workspaceRow(founded.workspace, yield* DateTime.now),
      owner: founded.owner === null ? null : memberRow(founded.owner, yield* DateTime.now)
    })
  })
})

const list = databaseCommand({
  name: "list",
  does: "List organizations, newest first",
  examples: ["organizations list", "organizations list --json"],
  prints: { items: [AN_ORGANIZATION] },
  flags: {},

  run: Effect.fn(function* () {
    const store = yield* TenancyStore
    const organizations = yield* everyPage((page) => store.listOrganizations(page))
    yield* printRows(organizations.map(organizationRow), ["id", "name", "created_at"], yield* JsonFlag)
  })
})

const show = databaseCommand({
  name: "show",
  does: "Show an organization with its workspaces and members; prints JSON",
  examples: [`organizations show --organization ${AN_ORGANIZATION.id}`, "organizations show --organization Acme"],
  prints: { ...AN_ORGANIZATION, workspaces: [A_WORKSPACE], members: [A_MEMBER] },
  flags: { organization: organizationFlag },
  run: Effect.fn(function* ({ organization }) {
    const { caller, found } = yield* organizationOf(organization)
    const tenancy = yield* Tenancy
    const workspaces = yield* everyPage((page) => tenancy.listWorkspaces({ caller, page }))
    const members = yield* everyPage((page) => tenancy.listMembers({ caller, page }))
    const now = yield* DateTime.now
    yield* printJson({
      ...organizationRow(found),
      workspaces: workspaces.map((workspace) => workspaceRow(workspace, now)),
      members: members.map((member) => memberRow(member, now))
    })
  })
})

const rename = databaseCommand({
  name: "rename",
  does: "Give an organization another name; prints JSON",
  examples: [`organizations rename --organization ${AN_ORGANIZATION.id} --name "Acme Europe"`],
  prints: AN_ORGANIZATION,
  flags: { organization: organizationFlag, name: nameFlag("name", "Its new name") },
  run: Effect.fn(function* ({ name, organization }) {
    const tenancy = yield* Tenancy
    const { caller } = yield* organizationOf(organization)
    yield* printJson(organizationRow(yield* explainRefusals(tenancy.renameOrganization({ caller, name }))))
  })
})

const remove = databaseCommand({
  name: "delete",
  does: "Erase an organization with everything in it, for good: its keys and sessions stop working at once; the workers do the rest",
  examples: [
    `organizations delete --organization ${AN_ORGANIZATION.id} --dry-run`,
    `organizations delete --organization ${AN_ORGANIZATION.id} --confirm ${AN_ORGANIZATION.id} --wait-seconds 600 --json`
  ],
  prints: AN_ERASURE,
  flags: { organization: organizationFlag, ...erasingFlags },
  run: Effect.fn(function* ({ organization, ...erasing }) {
    // An organization under erasure cannot be looked up any more, so an id is taken as it is.
    const id = "id" in organization ? organization.id : (yield* organizationOf(organization)).found.id
    const subject = { kind: "organization", organizationId: id, workspaceId: null, subjectId: id } as const
    yield* eraseByOperator(subject, erasing)
  })
})

/** Commands about organizations. */
export const organizations = Command.make("organizations").pipe(
  described({ does: "Organizations", examples: ["organizations list"] }),
  Command.withSubcommands([create, list, show, rename, remove])
)
