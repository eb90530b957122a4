import { type Actor, type FeedPayload, recordActivity } from "@agent-platform/kernel"
import type { ToolSecret } from "../../ToolSecret.ts"

const WORDS = { created: "added", updated: "changed", deleted: "deleted" } as const

/** Records an act on a secret. Nothing of its value is in the entry. */
export const recordSecret = (
  verb: keyof typeof WORDS,
  actor: Actor,
  { header, hostPattern, id, name, oauth, organizationId, workspaceId }: ToolSecret,
  payload: FeedPayload = {}
) =>
  recordActivity({
    organizationId,
    workspaceId,
    action: `tool_secret.${verb}`,
    actor,
    summary: `${actor.label} ${WORDS[verb]} the tool secret '${name}' (${hostPattern})`,
    resourceType: "tool_secret",
    resourceId: id,
    payload: { name, host_pattern: hostPattern, header, oauth: oauth !== null, ...payload }
  })
