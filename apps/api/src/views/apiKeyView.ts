import { type ApiKey, statusOf } from "@agent-platform/keys"
import type { DateTime } from "effect"

/** A key as the contract shows it, as of `now`. */
export const apiKeyView = (key: ApiKey, now: DateTime.Utc) => ({
  id: key.id,
  name: key.name,
  hint: key.hint,
  kind: key.kind,
  workspaceId: key.workspaceId,
  scopes: key.scopes,
  allowedIps: key.allowedIps,
  rateLimit: key.rateLimit,
  status: statusOf(key, now),
  version: key.version,
  createdAt: key.createdAt,
  createdBy: key.createdBy,
  expiresAt: key.expiresAt,
  lastUsedAt: key.lastUsedAt,
  replacedBy: key.replacedBy,
  metadata: key.metadata
})
