import {
  type IdempotencyRequest,
  idempotently,
  type OrganizationCaller,
  QuotaExceeded,
  Quotas,
  UnitOfWork,
  useCase
} from "@agent-platform/kernel"
import { Effect } from "effect"
import { parseEmail } from "../../Email.ts"
import { type Member, MemberId, MemberNotFound } from "../../Member.ts"
import {
  InvitationInvalid,
  isSamePart,
  keepsAnOwner,
  LastOwner,
  mayChange,
  OwnersReserved,
  type Part,
  partFault
} from "../../Membership.ts"
import { MemberStore } from "../../ports/MemberStore.ts"
import { TenancyStore } from "../../ports/TenancyStore.ts"
import type { OrganizationRole } from "../../Role.ts"
import { WorkspaceNotFound } from "../../Workspace.ts"
import { makeMember } from "./makeMember.ts"
import { recordMember } from "./memberActivity.ts"

export interface InviteMember extends Part {
  readonly caller: OrganizationCaller
  /** What the caller is in the organization; its keys and its operator are as good as an owner. */
  readonly by: OrganizationRole
  readonly email: string
  readonly idempotency: IdempotencyRequest | undefined
}

/** The member as it becomes. One whom the organization knows by the address already keeps all but its part. */
const changed = Effect.fnUntraced(function* (command: InviteMember, email: string, before: Member) {
  const members = yield* MemberStore
  if (isSamePart(before, command)) return before
  const owners = yield* members.countOwners(before.organizationId)
  if (!keepsAnOwner(before, command.organizationRole, owners)) return yield* new LastOwner()
  const after: Member = {
    ...before,
    email,
    organizationRole: command.organizationRole,
    workspaces: command.workspaces
  }
  yield* members.put(after)
  yield* recordMember("updated", command.caller.actor, after)
  return after
})

/**
 * Invites somebody by e-mail address into the caller's organization, or gives the member of this address another part,
 * from its next request on. Fails with InvitationInvalid, with WorkspaceNotFound where a workspace is not the
 * organization's, with OwnersReserved when an admin makes or changes an owner, with LastOwner, and with QuotaExceeded.
 */
export const inviteMember = useCase("tenancy.inviteMember")(function* (command: InviteMember) {
  const members = yield* MemberStore
  const tenancy = yield* TenancyStore
  const unit = yield* UnitOfWork
  const { actor, organizationId } = command.caller

  const create = Effect.gen(function* () {
    const email = parseEmail(command.email)
    if (email === undefined) {
      return yield* new InvitationInvalid({ field: "email", detail: "must be an e-mail address" })
    }
    const fault = partFault(command)
    if (fault !== undefined) return yield* fault
    const ids = command.workspaces.map((grant) => grant.workspaceId)
    const known = ids.length === 0 ? new Set(ids) : yield* tenancy.knownWorkspaces(organizationId, ids)
    if (ids.some((id) => !known.has(id))) return yield* new WorkspaceNotFound()

    yield* members.hold(organizationId)
    const before = yield* members.findByEmail(organizationId, email)
    if (!mayChange(command.by, before?.organizationRole ?? null, command.organizationRole)) {
      return yield* new OwnersReserved()
    }
    if (before !== undefined) return yield* changed(command, email, before)
    const { members: limit } = yield* Quotas
    if ((yield* members.count(organizationId, limit)) >= limit) {
      return yield* new QuotaExceeded({ quota: "members", limit })
    }
    const member = yield* makeMember(command.caller, { ...command, email })
    yield* members.put(member)
    yield* recordMember("invited", actor, member)
    return member
  })

  return yield* unit.atomic(
    idempotently(command.idempotency, {
      create,
      idOf: (member) => member.id,
      find: (id) =>
        Effect.flatMap(members.find(organizationId, MemberId.make(id)), (member) =>
          member === undefined ? Effect.fail(new MemberNotFound()) : Effect.succeed(member)
        )
    })
  )
})
