import { type ApiKey, type ApiKeyStatus, platformScopes, statusOf } from "@agent-platform/keys"
import type { DateTime } from "effect"

/** A key as the contract shows it, as of `now`. */
export const apiKeyView = (key: ApiKey & { readonly status?: ApiKeyStatus }, now: DateTime.Utc) => ({
  ...key,
  scopes: platformScopes(key.scopes),
  status: key.status ?? statusOf(key, now),
  sessionId: key.boundTo?.type === "session" ? key.boundTo.id : null
})
