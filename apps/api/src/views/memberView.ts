import type { Member } from "@agent-platform/keys"

/** A member as the contract shows it. */
export const memberView = (member: Member) => ({
  id: member.id,
  email: member.email,
  organizationRole: member.organizationRole,
  workspaces: member.workspaces,
  status: member.user === null ? ("invited" as const) : ("joined" as const),
  user: member.user,
  invitedBy: member.invitedBy,
  invitedAt: member.invitedAt,
  joinedAt: member.joinedAt
})
