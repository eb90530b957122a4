import { type OrganizationId, Uuid, type WorkspaceId } from "@agent-platform/kernel"
import { DateTime, Schema } from "effect"
import type { KeyKind } from "./KeyValue.ts"
import { ORGANIZATION_SCOPES, type Scope, WORKSPACE_SCOPES } from "./Scope.ts"

export const ApiKeyId = Uuid.pipe(Schema.brand("ApiKeyId"))
export type ApiKeyId = typeof ApiKeyId.Type

/** How a key reads in a list. `expired` follows from the clock and is never stored. */
export const ApiKeyStatus = Schema.Literals(["active", "disabled", "revoked", "expired"])
export type ApiKeyStatus = typeof ApiKeyStatus.Type

/** Everything about a key but its value, which is not kept. */
export interface ApiKey {
  readonly id: ApiKeyId
  readonly kind: KeyKind
  readonly organizationId: OrganizationId
  /** The one workspace of a workspace key; null for an organization key. */
  readonly workspaceId: WorkspaceId | null
  readonly name: string
  readonly hint: string
  readonly scopes: ReadonlyArray<Scope>
  readonly metadata: Readonly<Record<string, string>>
  readonly disabled: boolean
  readonly version: number
  readonly createdAt: DateTime.Utc
  readonly createdBy: { readonly type: string; readonly id: string; readonly label: string }
  readonly expiresAt: DateTime.Utc | null
  readonly revokedAt: DateTime.Utc | null
  readonly lastUsedAt: DateTime.Utc | null
}

/** No such key in reach of the caller. */
export class ApiKeyNotFound extends Schema.TaggedError<ApiKeyNotFound>()("ApiKeyNotFound", {}) {}

/** No key has this value. */
export class CredentialUnknown extends Schema.TaggedError<CredentialUnknown>()("CredentialUnknown", {}) {}

/** The key exists and may not be used any more, or not now. */
export class CredentialRefused extends Schema.TaggedError<CredentialRefused>()("CredentialRefused", {
  reason: Schema.Literals(["disabled", "revoked", "expired"])
}) {}

/** A key may not get a scope that its creator lacks, or that its kind cannot have. */
export class ScopeNotGrantable extends Schema.TaggedError<ScopeNotGrantable>()("ScopeNotGrantable", {
  scopes: Schema.Array(Schema.String)
}) {}

/** A key may not outlive the key that makes it, or begin its life expired. */
export class ExpiryNotGrantable extends Schema.TaggedError<ExpiryNotGrantable>()("ExpiryNotGrantable", {
  detail: Schema.String
}) {}

/** The status at `now`: a revocation outlasts everything, then the expiry, then the switch. */
export const statusOf = (key: ApiKey, now: DateTime.Utc): ApiKeyStatus => {
  if (key.revokedAt !== null) return "revoked"
  if (key.expiresAt !== null && DateTime.isLessThanOrEqualTo(key.expiresAt, now)) return "expired"
  return key.disabled ? "disabled" : "active"
}

/** All scopes that a key of this kind can have. */
export const scopesOfKind = (kind: KeyKind): ReadonlyArray<Scope> =>
  kind === "workspace" ? WORKSPACE_SCOPES : [...WORKSPACE_SCOPES, ...ORGANIZATION_SCOPES]
