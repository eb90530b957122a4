import { type Actor, type FeedPayload, recordActivity } from "@agent-platform/kernel"
import type { ProviderKey } from "../../ProviderKey.ts"

const SENTENCES = {
  registered: (actor: string, key: string) => `${actor} registered the provider key ${key}`,
  updated: (actor: string, key: string) => `${actor} changed the provider key ${key}`,
  validated: (actor: string, key: string) => `${actor} had the provider key ${key} checked`,
  revoked: (actor: string, key: string) => `${actor} revoked the provider key ${key}`,
  invalidated: (_: string, key: string) => `The provider refused the provider key ${key}`,
  recovered: (_: string, key: string) => `The provider takes the provider key ${key} again`
}

/** The actor of what the scheduled check of keys finds. */
export const SYSTEM: Actor = { type: "system", id: "provider_keys", label: "Provider keys" }

/** Records an act on a key, or a finding about it. Of the key's value the entry has only the hint. */
export const recordKey = (verb: keyof typeof SENTENCES, actor: Actor, key: ProviderKey, payload: FeedPayload = {}) =>
  recordActivity({
    organizationId: key.organizationId,
    workspaceId: key.workspaceId,
    action: `byok_key.${verb}`,
    actor,
    summary: SENTENCES[verb](actor.label, `'${key.name}' (${key.provider} ${key.hint})`),
    resourceType: "byok_key",
    resourceId: key.id,
    payload: { provider: key.provider, name: key.name, hint: key.hint, status: key.status, ...payload }
  })
