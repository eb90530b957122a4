import type { ApiKey, KeyMaker } from "@agent-platform/keys"
import { boolean, integer, json, nullable, text, texts, timestamptz, uuid } from "../columnTypes.ts"
import { group, makeTable, nullableGroup } from "../table.ts"

/** API keys, without their hashes. */
export const apiKeyTable = makeTable<ApiKey>("api_key", {
  id: uuid(),
  kind: text(),
  organizationId: uuid(),
  workspaceId: nullable(uuid()),
  name: text(),
  hint: text(),
  scopes: texts(),
  organizationRole: nullable(text()),
  allowedIps: texts(),
  rateLimit: nullableGroup("rate_", { limit: integer(), windowSeconds: integer() }),
  metadata: json(),
  disabled: boolean(),
  version: integer(),
  createdAt: timestamptz(),
  createdBy: group("created_by_", { type: text(), id: text(), label: text() }),
  expiresAt: nullable(timestamptz()),
  revokedAt: nullable(timestamptz()),
  lastUsedAt: nullable(timestamptz()),
  replacedBy: nullable(uuid()),
  boundTo: nullableGroup<KeyMaker>("bound_", { type: text(), id: uuid() }),
  reads: nullableGroup("reads_", { type: text(), id: uuid() })
})
