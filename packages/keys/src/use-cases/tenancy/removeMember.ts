import { type OrganizationCaller, UnitOfWork, useCase } from "@agent-platform/kernel"
import { Effect } from "effect"
import { type MemberId, MemberNotFound } from "../../Member.ts"
import { keepsAnOwner, LastOwner, mayChange, OwnersReserved } from "../../Membership.ts"
import { MemberStore } from "../../ports/MemberStore.ts"
import type { OrganizationRole } from "../../Role.ts"
import { recordMember } from "./memberActivity.ts"

export interface RemoveMember {
  readonly caller: OrganizationCaller
  /** What the caller is in the organization; its keys and its operator are as good as an owner. */
  readonly by: OrganizationRole
  readonly id: MemberId
}

/**
 * Removes a member, joined or only invited, from the caller's organization; its sessions there are refused from their next
 * request on. Answers what it was. Fails with MemberNotFound, with OwnersReserved when an admin removes an owner, and with
 * LastOwner.
 */
export const removeMember = useCase("tenancy.removeMember")(function* (command: RemoveMember) {
  const members = yield* MemberStore
  const unit = yield* UnitOfWork
  const { actor, organizationId } = command.caller
  return yield* unit.atomic(
    Effect.gen(function* () {
      yield* members.hold(organizationId)
      const member = yield* members.find(organizationId, command.id)
      if (member === undefined) return yield* new MemberNotFound()
      if (!mayChange(command.by, member.organizationRole, null)) return yield* new OwnersReserved()
      const owners = yield* members.countOwners(organizationId)
      if (!keepsAnOwner(member, null, owners)) return yield* new LastOwner()
      yield* members.remove(organizationId, member.id)
      yield* recordMember("removed", actor, member)
      return member
    })
  )
})
