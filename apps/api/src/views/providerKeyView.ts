import { type ProviderKey, providerKeyStatusAt } from "@agent-platform/keys"
import type { DateTime } from "effect"

/** A provider key as the contract shows it, as of `now`; its value is not in it. */
export const providerKeyView = (key: ProviderKey, now: DateTime.Utc) => {
  const status = providerKeyStatusAt(key, now)
  return {
    id: key.id,
    provider: key.provider,
    name: key.name,
    hint: key.hint,
    fingerprint: key.fingerprint,
    status,
    limitedUntil: status === key.status ? key.limitedUntil : null,
    priority: key.priority,
    fallback: key.fallback,
    allowedModels: key.allowedModels,
    baseUrl: key.baseUrl,
    version: key.version,
    createdAt: key.createdAt,
    lastUsedAt: key.lastUsedAt,
    lastValidatedAt: key.lastValidatedAt,
    lastError: key.lastError
  }
}
