import { type ApiKey, statusOf } from "@agent-platform/keys"
import type { DateTime } from "effect"

/** A key as the contract shows it, as of `now`. */
export const apiKeyView = (key: ApiKey, now: DateTime.Utc) => ({ ...key, status: statusOf(key, now) })
