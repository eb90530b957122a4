import { MemberStore, Tenancy } from "@agent-platform/keys"
import { DateTime, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { databaseCommand } from "../databaseCommand.ts"
import { described, JsonFlag } from "../described.ts"
import { AN_ERASURE, eraseByOperator, erasingFlags } from "../erasing.ts"
import { emailFlag, grantsFlag, memberFlag, organizationFlag, personFlag, roleFlag } from "../flags.ts"
import { everyPage, explainRefusals, GRANTOR, operatorIn, workspaceOf } from "../operator.ts"
import { printJson, printRows } from "../printed.ts"
import { memberRow } from "../rows.ts"
import { A_MEMBER, A_WORKSPACE, AN_ORGANIZATION } from "../shapes.ts"

const OF_ACME = `--organization ${AN_ORGANIZATION.id}`

const invite = databaseCommand({
  name: "invite",
  does: "Invite somebody, or give a member another part; prints JSON",
  examples: [
    `members invite ${OF_ACME} --email grace@example.com --role owner`,
    `members invite ${OF_ACME} --email bob@example.com --workspace ${A_WORKSPACE.id}:viewer`,
    "members invite --organization Acme --email bob@example.com --workspace Support:member"
  ],
  prints: A_MEMBER,
  flags: {
    organization: organizationFlag,
    email: emailFlag("email", "Whom to invite; a member of this address gets the other part"),
    organizationRole: roleFlag,
    workspaces: grantsFlag
  },
  run: Effect.fn(function* ({ organization, workspaces: grants, ...part }) {
    const tenancy = yield* Tenancy
    const caller = yield* operatorIn(organization)
    const workspaces = yield* Effect.forEach(grants, ({ role, workspace }) =>
      Effect.map(workspaceOf(organization, workspace), ({ found }) => ({ workspaceId: found.id, role }))
    )
    const { value } = yield* tenancy
      .inviteMember({ caller, by: GRANTOR, ...part, workspaces, idempotency: undefined })
      .pipe(explainRefusals)
    yield* printJson(memberRow(value, yield* DateTime.now))
  })
})

const list = databaseCommand({
  name: "list",
  does: "List an organization's members, newest first",
  examples: [`members list ${OF_ACME}`, `members list ${OF_ACME} --json`],
  prints: { items: [A_MEMBER] },
  flags: { organization: organizationFlag },
  run: Effect.fn(function* ({ organization }) {
    const tenancy = yield* Tenancy
    const caller = yield* operatorIn(organization)
    const members = yield* everyPage((page) => tenancy.listMembers({ caller, page }))
    const now = yield* DateTime.now
    yield* printRows(
      members.map((member) => memberRow(member, now)),
      ["id", "email", "organization_role", "status", "invited_at"],
      yield* JsonFlag
    )
  })
})

const remove = databaseCommand({
  name: "remove",
  does: "Remove a member, or take an invitation back; prints JSON",
  examples: [`members remove ${OF_ACME} --member ${A_MEMBER.id}`],
  prints: { id: A_MEMBER.id, email: A_MEMBER.email, status: "removed" },
  flags: { organization: organizationFlag, member: memberFlag },
  run: Effect.fn(function* ({ member, organization }) {
    const tenancy = yield* Tenancy
    const caller = yield* operatorIn(organization)
    const removed = yield* tenancy.removeMember({ caller, by: GRANTOR, id: member }).pipe(explainRefusals)
    yield* printJson({ id: removed.id, email: removed.email, status: "removed" })
  })
})

const erase = databaseCommand({
  name: "erase",
  does: "Erase the person behind a member, in every organization: address, name, login and sessions; what they did stays, without their name",
  examples: [
    `members erase ${OF_ACME} --member ${A_MEMBER.id} --dry-run`,
    `members erase ${OF_ACME} --member ${A_MEMBER.id} --confirm ${A_MEMBER.id} --wait-seconds 600`
  ],
  prints: {
    ...AN_ERASURE,
    kind: "person",
    resource_id: A_MEMBER.id,
    counts: { members: { done: 1, total: 1 }, activity: { done: 218, total: 218 } }
  },
  flags: { organization: organizationFlag, member: personFlag, ...erasingFlags },
  run: Effect.fn(function* ({ confirm, member, organization, ...erasing }) {
    const { organizationId } = yield* operatorIn(organization)
    const found = yield* MemberStore.use((members) => members.find(organizationId, member))
    // Somebody who was removed from the organization is no member any more: their own id names them.
    const subjectId = found?.user?.id ?? member
    const subject = { kind: "person", organizationId, workspaceId: null, subjectId } as const
    // The operator confirms by the member's id; what is erased is the person, who may be a member of several organizations.
    const confirmed = Option.map(confirm, (id) => (id === member ? subjectId : id))
    return yield* eraseByOperator(subject, { ...erasing, confirm: confirmed })
  })
})

/** Commands about members. */
export const members = Command.make("members").pipe(
  described({ does: "People in an organization", examples: [`members list ${OF_ACME}`] }),
  Command.withSubcommands([invite, list, remove, erase])
)
