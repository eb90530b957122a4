import type { Actor, OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import type {
  KeyFallback,
  Provider,
  ProviderKey,
  ProviderKeyErrorCode,
  ProviderKeyId,
  ProviderKeyStatus,
  SealedProviderKey
} from "@agent-platform/keys"
import { readNullableTimestamp, readTimestamp } from "../columns.ts"

/** A row of `provider_key`. */
export interface ProviderKeyRow {
  readonly organization_id: OrganizationId
  readonly workspace_id: WorkspaceId
  readonly id: ProviderKeyId
  readonly provider: Provider
  readonly name: string
  readonly hint: string
  readonly fingerprint: string
  readonly sealed: string | null
  readonly status: ProviderKeyStatus
  readonly limited_until: Date | null
  readonly priority: number
  readonly fallback: KeyFallback
  readonly allowed_models: ReadonlyArray<string> | null
  readonly base_url: string | null
  readonly version: number
  readonly created_at: Date
  readonly created_by_type: Actor["type"]
  readonly created_by_id: string
  readonly created_by_label: string
  readonly last_used_at: Date | null
  readonly last_validated_at: Date | null
  readonly last_error_code: ProviderKeyErrorCode | null
  readonly last_error_provider_status: number | null
  readonly last_error_provider_code: string | null
  readonly last_error_at: Date | null
  readonly revoked_at: Date | null
}

/** Columns by name: with `*`, a column that a later release adds would change the result of a prepared statement. */
export const PROVIDER_KEY_COLUMNS = [
  "organization_id",
  "workspace_id",
  "id",
  "provider",
  "name",
  "hint",
  "fingerprint",
  "sealed",
  "status",
  "limited_until",
  "priority",
  "fallback",
  "allowed_models",
  "base_url",
  "version",
  "created_at",
  "created_by_type",
  "created_by_id",
  "created_by_label",
  "last_used_at",
  "last_validated_at",
  "last_error_code",
  "last_error_provider_status",
  "last_error_provider_code",
  "last_error_at",
  "revoked_at"
] as const

/** The key in a row. */
export const toProviderKey = (row: ProviderKeyRow): ProviderKey => ({
  id: row.id,
  organizationId: row.organization_id,
  workspaceId: row.workspace_id,
  provider: row.provider,
  name: row.name,
  hint: row.hint,
  fingerprint: row.fingerprint,
  status: row.status,
  limitedUntil: readNullableTimestamp(row.limited_until),
  priority: row.priority,
  fallback: row.fallback,
  allowedModels: row.allowed_models,
  baseUrl: row.base_url,
  version: row.version,
  createdAt: readTimestamp(row.created_at),
  createdBy: { type: row.created_by_type, id: row.created_by_id, label: row.created_by_label },
  lastUsedAt: readNullableTimestamp(row.last_used_at),
  lastValidatedAt: readNullableTimestamp(row.last_validated_at),
  lastError:
    row.last_error_code === null || row.last_error_at === null
      ? null
      : {
          code: row.last_error_code,
          providerStatus: row.last_error_provider_status,
          providerCode: row.last_error_provider_code,
          at: readTimestamp(row.last_error_at)
        },
  revokedAt: readNullableTimestamp(row.revoked_at)
})

/** The key in a row with its value; nothing for one whose value is erased. */
export const toSealedProviderKey = (row: ProviderKeyRow): ReadonlyArray<SealedProviderKey> =>
  row.sealed === null ? [] : [{ key: toProviderKey(row), sealed: row.sealed }]
