import { type Actor, type OrganizationId, Uuid, type WorkspaceId } from "@agent-platform/kernel"
import { DateTime, Schema } from "effect"
import type { KeyKind } from "./KeyValue.ts"
import type { RateLimit } from "./RequestBucket.ts"
import type { OrganizationRole } from "./Role.ts"
import { ORGANIZATION_SCOPES, type Scope, WORKSPACE_SCOPES } from "./Scope.ts"

export const ApiKeyId = Uuid.pipe(Schema.brand("ApiKeyId"))
export type ApiKeyId = typeof ApiKeyId.Type

/**
 * How a key reads in a list. `expired` follows from the clock and is never stored. A `rotating` key has a successor and is
 * accepted until its grace is over.
 */
export const ApiKeyStatus = Schema.Literals(["active", "rotating", "disabled", "revoked", "expired"])
export type ApiKeyStatus = typeof ApiKeyStatus.Type

/** Everything about a key except its value, which is not kept. */
export interface ApiKey {
  readonly id: ApiKeyId
  readonly kind: KeyKind
  readonly organizationId: OrganizationId
  /** The one workspace of a workspace key; null for an organization key. */
  readonly workspaceId: WorkspaceId | null
  readonly name: string
  readonly hint: string
  /** Scopes that `KeyForms` has, or had when they were given. */
  readonly scopes: ReadonlyArray<string>
  /**
   * The role that an organization key has among the members as long as nothing bounds the key (`roleOfKey`). At most the role of
   * its maker, of its rotator, and of a changer who took its bounds away. Null for a workspace key.
   */
  readonly organizationRole: OrganizationRole | null
  /** The networks that it may be used from, in CIDR notation; an empty list means everywhere. */
  readonly allowedIps: ReadonlyArray<string>
  readonly rateLimit: RateLimit | null
  readonly metadata: Readonly<Record<string, string>>
  readonly disabled: boolean
  /** Counts the changes of the key; its uses do not count. */
  readonly version: number
  readonly createdAt: DateTime.Utc
  readonly createdBy: Actor
  readonly expiresAt: DateTime.Utc | null
  readonly revokedAt: DateTime.Utc | null
  readonly lastUsedAt: DateTime.Utc | null
  /** The key that took its place in a rotation. */
  readonly replacedBy: ApiKeyId | null
  /** The credential that made a temporary key, which ends with it; null for every other key. */
  readonly boundTo: KeyMaker | null
  /** The one thing that a browser key reads; null for a key that reads all that its scopes allow. */
  readonly reads: KeyResource | null
}

/** The credential that made a temporary key. The key ends with it, is never changed or rotated, and expires within hours. */
export interface KeyMaker {
  readonly type: "api_key" | "session"
  /** An `ApiKeyId` or a `LoginSessionId`. */
  readonly id: string
}

/** One run, or one session with its runs. */
export interface KeyResource {
  readonly type: "run" | "session"
  readonly id: string
}

/** The members of a key that decide whether it is accepted. */
export type ApiKeyState = Pick<ApiKey, "id" | "revokedAt" | "expiresAt" | "disabled" | "replacedBy">

/** The members of a key that can be changed; a missing one stays as it is. */
export type ApiKeyChange = Partial<
  Pick<ApiKey, "name" | "scopes" | "expiresAt" | "allowedIps" | "rateLimit" | "metadata" | "disabled">
>

/** The caller can reach no such key. */
export class ApiKeyNotFound extends Schema.TaggedError<ApiKeyNotFound>()("ApiKeyNotFound", {}) {}

/** No key has this value. */
export class CredentialUnknown extends Schema.TaggedError<CredentialUnknown>()("CredentialUnknown", {}) {}

/** The key exists and may not be used any more, or not now. */
export class CredentialRefused extends Schema.TaggedError<CredentialRefused>()("CredentialRefused", {
  reason: Schema.Literals(["disabled", "revoked", "expired"])
}) {}

/** The reasons for refusing a known key. */
export type KeyRefusal = CredentialRefused["reason"] | "address"

/** The key may not be used from where the request came. */
export class AddressNotAllowed extends Schema.TaggedError<AddressNotAllowed>()("AddressNotAllowed", {}) {}

/** A key in this state is not changed any more, or not in this way; a temporary one never is. */
export class ApiKeySettled extends Schema.TaggedError<ApiKeySettled>()("ApiKeySettled", {
  status: Schema.Literals([...ApiKeyStatus.literals, "temporary"])
}) {}

/** The key has changed since the version that the caller had read. */
export class ApiKeyVersionConflict extends Schema.TaggedError<ApiKeyVersionConflict>()("ApiKeyVersionConflict", {
  version: Schema.Int
}) {}

/** The status at `now`. A revocation goes before the expiry, and the expiry before `disabled`. */
export const statusOf = (key: ApiKeyState, now: DateTime.Utc): ApiKeyStatus => {
  if (key.revokedAt !== null) return "revoked"
  if (key.expiresAt !== null && DateTime.isLessThanOrEqualTo(key.expiresAt, now)) return "expired"
  if (key.disabled) return "disabled"
  return key.replacedBy === null ? "active" : "rotating"
}

/** Whether a key of this status is accepted. */
export const isAccepted = (status: ApiKeyStatus): status is "active" | "rotating" =>
  status === "active" || status === "rotating"

/** All scopes of a key of this kind on the platform, except those that must be named. A key may have been given fewer. */
export const scopesOfKind = (kind: KeyKind): ReadonlyArray<Scope> =>
  kind === "workspace" ? WORKSPACE_SCOPES : [...WORKSPACE_SCOPES, ...ORGANIZATION_SCOPES]

/** The longest time for which a replaced key is still accepted: a week. */
export const GRACE_SECONDS_MAX = 604_800

/** The names of the members that `change` would make different, in their order. */
export const changesOf = (key: ApiKey, change: ApiKeyChange): ReadonlyArray<keyof ApiKeyChange> =>
  (Object.keys(change) as Array<keyof ApiKeyChange>)
    .filter((name) => JSON.stringify(key[name]) !== JSON.stringify(change[name]))
    .sort()

/** The key after a change. */
export const withChange = (key: ApiKey, change: ApiKeyChange): ApiKey => ({
  ...key,
  ...change,
  version: key.version + 1
})

/** The key's replacement: the same under another value. */
export const successorOf = (
  key: ApiKey,
  made: Pick<ApiKey, "id" | "hint" | "organizationRole" | "createdAt" | "createdBy">
): ApiKey => ({ ...key, ...made, version: 1, lastUsedAt: null })

/**
 * The replaced key. It is accepted for `graceSeconds` more, and never for longer than before. Without a grace it is disabled as
 * well, since a process with a slow clock would go on accepting it.
 */
export const predecessorOf = (key: ApiKey, successor: ApiKeyId, at: DateTime.Utc, graceSeconds: number): ApiKey => {
  const end = DateTime.add(at, { seconds: graceSeconds })
  const sooner = key.expiresAt !== null && DateTime.isLessThan(key.expiresAt, end)
  return {
    ...key,
    replacedBy: successor,
    expiresAt: sooner ? key.expiresAt : end,
    disabled: graceSeconds === 0,
    version: key.version + 1
  }
}
