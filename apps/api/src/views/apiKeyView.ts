import { type ApiKey, platformScopes, statusOf } from "@agent-platform/keys"
import type { DateTime } from "effect"

/** A key as the contract shows it, as of `now`. */
export const apiKeyView = (key: ApiKey, now: DateTime.Utc) => ({
  ...key,
  scopes: platformScopes(key.scopes),
  status: statusOf(key, now)
})
