import type { ProviderKey, SealedProviderKey } from "@agent-platform/keys"
import { integer, nullable, text, texts, timestamptz, uuid } from "../columnTypes.ts"
import { group, makeTable, nullableGroup, type Row } from "../table.ts"

/** Provider keys, without their values. */
export const providerKeyTable = makeTable<ProviderKey>("provider_key", {
  id: uuid(),
  organizationId: uuid(),
  workspaceId: uuid(),
  provider: text(),
  name: text(),
  hint: text(),
  fingerprint: text(),
  status: text(),
  limitedUntil: nullable(timestamptz()),
  priority: integer(),
  fallback: text(),
  allowedModels: nullable(texts()),
  baseUrl: nullable(text()),
  version: integer(),
  createdAt: timestamptz(),
  createdBy: group("created_by_", { type: text(), id: text(), label: text() }),
  lastUsedAt: nullable(timestamptz()),
  lastValidatedAt: nullable(timestamptz()),
  lastError: nullableGroup("last_error_", {
    code: text(),
    providerStatus: nullable(integer()),
    providerCode: nullable(text()),
    at: timestamptz()
  }),
  revokedAt: nullable(timestamptz())
})

/** Provider keys with their sealed values, which revoked keys have not. */
export const sealedKeyTable = providerKeyTable.with<{ readonly sealed: string | null }>({ sealed: nullable(text()) })

/** The keys in these rows with their values; keys without a value are left out. */
export const readSealed = (rows: ReadonlyArray<Row>): ReadonlyArray<SealedProviderKey> =>
  sealedKeyTable.readAll(rows).flatMap(({ sealed, ...key }) => (sealed === null ? [] : [{ key, sealed }]))
