import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import type { ApiKey, ApiKeyId, KeyKind, OrganizationRole, Scope } from "@agent-platform/keys"
import { readNullableTimestamp, readTimestamp } from "../columns.ts"

/** A row of `api_key`, without the hash. */
export interface ApiKeyRow {
  readonly organization_id: OrganizationId
  readonly workspace_id: WorkspaceId | null
  readonly id: ApiKeyId
  readonly kind: KeyKind
  readonly name: string
  readonly hint: string
  readonly scopes: ReadonlyArray<Scope>
  readonly organization_role: OrganizationRole | null
  readonly allowed_ips: ReadonlyArray<string>
  readonly rate_limit: number | null
  readonly rate_window_seconds: number | null
  readonly metadata: Readonly<Record<string, string>>
  readonly disabled: boolean
  readonly version: number
  readonly created_at: Date
  readonly created_by_type: string
  readonly created_by_id: string
  readonly created_by_label: string
  readonly expires_at: Date | null
  readonly revoked_at: Date | null
  readonly last_used_at: Date | null
  readonly replaced_by: ApiKeyId | null
}

/** The columns of an `ApiKeyRow`. */
export const API_KEY_COLUMNS = `api_key.organization_id, api_key.workspace_id, api_key.id, api_key.kind, api_key.name,
  api_key.hint, api_key.scopes, api_key.organization_role, api_key.allowed_ips, api_key.rate_limit, api_key.rate_window_seconds, api_key.metadata,
  api_key.disabled, api_key.version, api_key.created_at, api_key.created_by_type, api_key.created_by_id,
  api_key.created_by_label, api_key.expires_at, api_key.revoked_at, api_key.last_used_at, api_key.replaced_by`

/** The key in a row. */
export const toApiKey = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  kind: row.kind,
  organizationId: row.organization_id,
  workspaceId: row.workspace_id,
  name: row.name,
  hint: row.hint,
  scopes: row.scopes,
  organizationRole: row.organization_role,
  allowedIps: row.allowed_ips,
  rateLimit:
    row.rate_limit === null || row.rate_window_seconds === null
      ? null
      : { limit: row.rate_limit, windowSeconds: row.rate_window_seconds },
  metadata: row.metadata,
  disabled: row.disabled,
  version: row.version,
  createdAt: readTimestamp(row.created_at),
  createdBy: { type: row.created_by_type, id: row.created_by_id, label: row.created_by_label },
  expiresAt: readNullableTimestamp(row.expires_at),
  revokedAt: readNullableTimestamp(row.revoked_at),
  lastUsedAt: readNullableTimestamp(row.last_used_at),
  replacedBy: row.replaced_by
})
