import type { Actor, FeedPayload, NewActivity } from "@agent-platform/kernel"
import { DateTime } from "effect"
import type { ApiKey } from "../../ApiKey.ts"

/** An entry about a key. It has the key's scopes, expiry and networks, and nothing of its value, not even the hint. */
const entryOf = (key: ApiKey, verb: string, actor: Actor, summary: string, more: FeedPayload): NewActivity => ({
  organizationId: key.organizationId,
  workspaceId: key.workspaceId,
  action: `api_key.${verb}`,
  actor,
  summary,
  resourceType: "api_key",
  resourceId: key.id,
  payload: {
    name: key.name,
    kind: key.kind,
    scopes: key.scopes,
    expires_at: key.expiresAt === null ? null : DateTime.formatIso(key.expiresAt),
    allowed_ips: key.allowedIps,
    ...more
  }
})

/** The activity entry of a change of a key. */
export const keyAct = (
  key: ApiKey,
  verb: "created" | "updated" | "rotated" | "revoked",
  actor: Actor,
  more: FeedPayload = {}
): NewActivity => entryOf(key, verb, actor, `${actor.label} ${verb} the API key '${key.name}'`, more)

/** The activity entry of a use of a key. The key itself stands for its holder, who is not known, and so has the type of a user. */
export const actWithKey = (
  key: ApiKey,
  verb: "used" | "refused",
  summary: string,
  clientAddress: string | undefined,
  more: FeedPayload = {}
): NewActivity =>
  entryOf(key, verb, { type: "user", id: key.id, label: key.name }, summary, {
    client_address: clientAddress ?? null,
    ...more
  })
