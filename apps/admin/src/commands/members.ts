import { Tenancy } from "@agent-platform/keys"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { emailFlag, grantsFlag, jsonFlag, memberFlag, organizationFlag, roleFlag } from "../flags.ts"
import { everyPage, inWords, operatorIn, overDatabase } from "../operator.ts"
import { printJson, printRows } from "../printed.ts"
import { memberRow } from "../rows.ts"

const invite = Command.make(
  "invite",
  {
    organization: organizationFlag,
    email: emailFlag("email", "Whom to invite; a member of this address gets the other part"),
    organizationRole: roleFlag,
    workspaces: grantsFlag
  },
  ({ organization, ...part }) =>
    overDatabase(
      Effect.gen(function* () {
        const tenancy = yield* Tenancy
        const caller = yield* operatorIn(organization)
        const { value } = yield* tenancy
          .inviteMember({ caller, by: "owner", ...part, idempotency: undefined })
          .pipe(inWords)
        yield* printJson(memberRow(value))
      })
    )
).pipe(Command.withDescription("Invite somebody, or give a member another part; prints JSON"))

const list = Command.make("list", { organization: organizationFlag, json: jsonFlag }, ({ json, organization }) =>
  overDatabase(
    Effect.gen(function* () {
      const tenancy = yield* Tenancy
      const caller = yield* operatorIn(organization)
      const members = yield* everyPage((page) => tenancy.listMembers({ caller, page }))
      yield* printRows(members.map(memberRow), ["id", "email", "organization_role", "status", "invited_at"], json)
    })
  )
).pipe(Command.withDescription("List an organization's members, newest first"))

const remove = Command.make(
  "remove",
  { organization: organizationFlag, member: memberFlag },
  ({ member, organization }) =>
    overDatabase(
      Effect.gen(function* () {
        const tenancy = yield* Tenancy
        const caller = yield* operatorIn(organization)
        const removed = yield* tenancy.removeMember({ caller, by: "owner", id: member }).pipe(inWords)
        yield* printJson({ id: removed.id, email: removed.email, status: "removed" })
      })
    )
).pipe(Command.withDescription("Remove a member, or take an invitation back; prints JSON"))

/** What an operator does about people. */
export const members = Command.make("members").pipe(
  Command.withDescription("People in an organization"),
  Command.withSubcommands([invite, list, remove])
)
