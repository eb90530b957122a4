import { type Actor, recordActivity } from "@agent-platform/kernel"
import type { Member } from "../../Member.ts"

const WORDS = { invited: "invited", updated: "changed the part of", removed: "removed" }

/** Records an act on a member, in the organization's own feed. */
export const recordMember = (verb: "invited" | "updated" | "removed", actor: Actor, member: Member) =>
  recordActivity({
    organizationId: member.organizationId,
    workspaceId: null,
    action: `member.${verb}`,
    actor,
    summary: `${actor.label} ${WORDS[verb]} ${member.email}`,
    resourceType: "member",
    resourceId: member.id,
    payload: {
      email: member.email,
      organization_role: member.organizationRole,
      workspaces: member.workspaces.map(({ role, workspaceId }) => ({ workspace_id: workspaceId, role }))
    }
  })
