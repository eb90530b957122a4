import { type Actor, type FeedPayload, recordActivity } from "@agent-platform/kernel"
import type { ProviderKey } from "../../ProviderKey.ts"
import type { ProbeOutcome } from "../../ProviderKeyHealth.ts"

/** The provider's answer about a key that somebody had it asked about. */
const ANSWERS: Readonly<Record<ProbeOutcome["type"], string>> = {
  accepted: "the provider takes it",
  rejected: "the provider refuses it",
  rate_limited: "the provider takes it, but not so often",
  quota_exhausted: "the provider knows it, and its account has nothing left to spend",
  unreachable: "the provider could not be reached",
  unsupported: "the provider cannot be asked about it"
}

const SENTENCES = {
  registered: (actor: string, key: string) => `${actor} registered the provider key ${key}`,
  updated: (actor: string, key: string) => `${actor} changed the provider key ${key}`,
  validated: (actor: string, key: string, outcome: ProbeOutcome["type"] | undefined) =>
    `${actor} asked about the provider key ${key}${outcome === undefined ? "" : `: ${ANSWERS[outcome]}`}`,
  revoked: (actor: string, key: string) => `${actor} revoked the provider key ${key}`,
  invalidated: (_: string, key: string) => `The provider refused the provider key ${key}`,
  recovered: (_: string, key: string) => `The provider takes the provider key ${key} again`
}

/** The actor of what the scheduled check of keys finds. */
export const SYSTEM: Actor = { type: "system", id: "provider_keys", label: "Provider keys" }

/** Records an act on a key, or a finding about it. Of the key's value the entry has only the hint. */
export const recordKey = (
  verb: keyof typeof SENTENCES,
  actor: Actor,
  key: ProviderKey,
  payload: FeedPayload & { readonly outcome?: ProbeOutcome["type"] } = {}
) =>
  recordActivity({
    organizationId: key.organizationId,
    workspaceId: key.workspaceId,
    action: `byok_key.${verb}`,
    actor,
    summary: SENTENCES[verb](actor.label, `'${key.name}' (${key.provider} ${key.hint})`, payload.outcome),
    resourceType: "byok_key",
    resourceId: key.id,
    payload: { provider: key.provider, name: key.name, hint: key.hint, status: key.status, ...payload }
  })
