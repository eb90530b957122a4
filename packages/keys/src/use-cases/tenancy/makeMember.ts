import { freshId, type OrganizationCaller } from "@agent-platform/kernel"
import { DateTime, Effect } from "effect"
import { type Member, MemberId } from "../../Member.ts"
import type { Part } from "../../Membership.ts"

/** A newly invited member of the caller's organization, not stored yet. The address must be as `parseEmail` returns it. */
export const makeMember = Effect.fnUntraced(function* (
  { actor, organizationId }: OrganizationCaller,
  given: Part & Pick<Member, "email" | "invitedByKey">
) {
  const member: Member = {
    id: yield* freshId(MemberId),
    organizationId,
    email: given.email,
    organizationRole: given.organizationRole,
    workspaces: given.workspaces,
    user: null,
    invitedBy: actor,
    invitedByKey: given.invitedByKey,
    invitedAt: yield* DateTime.now,
    joinedAt: null
  }
  return member
})
