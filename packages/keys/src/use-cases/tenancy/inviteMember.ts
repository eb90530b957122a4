import {
  atomic,
  type IdempotencyRequest,
  idempotently,
  type OrganizationCaller,
  QuotaExceeded,
  Quotas
} from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import type { ApiKeyState } from "../../ApiKey.ts"
import { parseEmail } from "../../Email.ts"
import type { KeyGrantor } from "../../KeyGrant.ts"
import { type Member, MemberId, MemberNotFound, memberStatusOf } from "../../Member.ts"
import {
  InvitationInvalid,
  isSamePart,
  keepsAnOwner,
  LastOwner,
  type Part,
  partFault,
  partRefusalOf
} from "../../Membership.ts"
import { MemberStore } from "../../ports/MemberStore.ts"
import { TenancyStore } from "../../ports/TenancyStore.ts"
import { WorkspaceNotFound } from "../../Workspace.ts"
import { holdGrantor } from "../api-keys/holdGrantor.ts"
import { makeMember } from "./makeMember.ts"
import { recordMember } from "./memberActivity.ts"

export interface InviteMember extends Part {
  readonly caller: OrganizationCaller
  /** The caller with its bounds. */
  readonly by: KeyGrantor
  readonly email: string
  readonly idempotency: IdempotencyRequest | undefined
}

/**
 * Gives an existing member the invited roles and returns it. Of a member who has joined nothing else changes. An invitation that
 * is changed or had lapsed belongs to the present inviter from now on, and lapses with their key.
 */
const nextMember = Effect.fnUntraced(function* (
  command: InviteMember,
  before: Member,
  invitedByKey: ApiKeyState | null
) {
  const members = yield* MemberStore
  const { organizationRole, workspaces } = command
  const { actor } = command.caller
  const now = yield* DateTime.now
  const status = memberStatusOf(before, now)
  if (isSamePart(before, command) && status !== "lapsed") return before
  const owners = yield* members.countOwners(before.organizationId)
  if (!keepsAnOwner(before, organizationRole, owners)) return yield* new LastOwner()
  const after: Member = {
    ...before,
    organizationRole,
    workspaces,
    ...(status === "joined" ? {} : { invitedBy: actor, invitedByKey, invitedAt: now })
  }
  yield* members.put(after)
  yield* recordMember(status === "lapsed" ? "invited" : "updated", actor, after)
  return after
})

/**
 * Invites somebody by e-mail address into the caller's organization, or gives the member of this address other roles, from the
 * member's next request on. Fails with InvitationInvalid, with WorkspaceNotFound where a workspace is not the organization's, with
 * RoleNotGrantable and ScopeNotGrantable as `partRefusalOf` says, with LastOwner, with QuotaExceeded, and as `holdGrantor` says when
 * the caller is revoked, removed or narrowed meanwhile.
 */
export const inviteMember = useCase("tenancy.inviteMember")(function* (command: InviteMember) {
  const members = yield* MemberStore
  const tenancy = yield* TenancyStore
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

    // Before the grantor is held: two who held memberships, and then each waited for this lock, would wait for each other.
    yield* members.hold(organizationId)
    const before = yield* members.findByEmail(organizationId, email)
    const by = yield* holdGrantor({ organizationId, workspaceId: null }, command.by)
    const invitedByKey = by.key
    const refused = partRefusalOf(by, before?.organizationRole ?? null, command)
    if (refused !== undefined) return yield* refused
    if (before !== undefined) return yield* nextMember(command, before, invitedByKey)
    const { members: limit } = yield* Quotas
    if ((yield* members.count(organizationId, limit)) >= limit) {
      return yield* new QuotaExceeded({ quota: "members", of: "organization", limit })
    }
    const member = yield* makeMember(command.caller, { ...command, email, invitedByKey })
    yield* members.put(member)
    yield* recordMember("invited", actor, member)
    return member
  })

  return yield* idempotently(command.idempotency, {
    create,
    idOf: (member) => member.id,
    find: (id) =>
      Effect.flatMap(members.find(organizationId, MemberId.make(id)), (member) =>
        member === undefined ? Effect.fail(new MemberNotFound()) : Effect.succeed(member)
      )
  })
}, atomic)
