import type { ActivityRecord, Actor, FeedPayload } from "@agent-platform/kernel"
import type { ApiKey } from "../../ApiKey.ts"

/** The activity entry of something that was done to a key. It holds nothing of the key's value, not even the hint. */
export const keyAct = (
  key: ApiKey,
  verb: "created" | "updated" | "rotated" | "revoked",
  actor: Actor,
  more: FeedPayload = {}
): Omit<ActivityRecord, "id" | "createdAt"> => ({
  organizationId: key.organizationId,
  workspaceId: key.workspaceId,
  action: `api_key.${verb}`,
  actor,
  summary: `${actor.label} ${verb} the API key '${key.name}'`,
  resourceType: "api_key",
  resourceId: key.id,
  payload: { name: key.name, kind: key.kind, ...more }
})
