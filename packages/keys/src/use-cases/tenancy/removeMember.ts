import { atomic, type OrganizationCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { type KeyGrantor, roleRefusalOf } from "../../KeyGrant.ts"
import { type MemberId, MemberNotFound } from "../../Member.ts"
import { keepsAnOwner, LastOwner } from "../../Membership.ts"
import { MemberStore } from "../../ports/MemberStore.ts"
import { holdGrantor } from "../api-keys/holdGrantor.ts"
import { recordMember } from "./memberActivity.ts"

export interface RemoveMember {
  readonly caller: OrganizationCaller
  /** The caller with its bounds. */
  readonly by: KeyGrantor
  readonly id: MemberId
}

/**
 * Removes a member, joined or only invited, from the caller's organization, and returns it. Its login sessions there are refused from
 * their next request on. Fails with MemberNotFound, with RoleNotGrantable when the caller could not give the member's role, with
 * LastOwner, and as `holdGrantor` says.
 */
export const removeMember = useCase("tenancy.removeMember")(function* (command: RemoveMember) {
  const members = yield* MemberStore
  const { actor, organizationId } = command.caller
  // Before the grantor is held, as in `inviteMember`.
  yield* members.hold(organizationId)
  const member = yield* members.find(organizationId, command.id)
  if (member === undefined) return yield* new MemberNotFound()
  const by = yield* holdGrantor({ organizationId, workspaceId: null }, command.by)
  const refused = roleRefusalOf(by, member.organizationRole)
  if (refused !== undefined) return yield* refused
  const owners = yield* members.countOwners(organizationId)
  if (!keepsAnOwner(member, null, owners)) return yield* new LastOwner()
  yield* members.remove(organizationId, member.id)
  yield* recordMember("removed", actor, member)
  return member
}, atomic)
