import { type ProviderKey, providerKeyStatusAt } from "@agent-platform/keys"
import type { DateTime } from "effect"

/** A provider key as the contract shows it, as of `now`; its value is not in it. */
export const providerKeyView = (key: ProviderKey, now: DateTime.Utc) => {
  const status = providerKeyStatusAt(key, now)
  return { ...key, status, limitedUntil: status === key.status ? key.limitedUntil : null }
}
