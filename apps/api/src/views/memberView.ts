import { type Member, memberStatusOf } from "@agent-platform/keys"
import type { DateTime } from "effect"

/** A member as the contract shows it, as of `now`. */
export const memberView = (member: Member, now: DateTime.Utc) => ({
  id: member.id,
  email: member.email,
  organizationRole: member.organizationRole,
  workspaces: member.workspaces,
  status: memberStatusOf(member, now),
  user: member.user,
  invitedBy: member.invitedBy,
  invitedAt: member.invitedAt,
  joinedAt: member.joinedAt
})
