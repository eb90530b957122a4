/** What somebody may give to a key. Holds for keys that are made, changed and rotated alike. Contract: Identity and keys. */
import type { Actor } from "@agent-platform/kernel"
import { DateTime, Schema } from "effect"
import { networksOutside } from "./AllowedIps.ts"
import { type ApiKey, scopesOfKind } from "./ApiKey.ts"
import type { KeyKind } from "./KeyValue.ts"
import type { Role } from "./Role.ts"
import type { Scope } from "./Scope.ts"

/** Who makes, changes or rotates a key, and what bounds that. */
export interface KeyGrantor {
  readonly actor: Actor
  readonly scopes: ReadonlyArray<Scope>
  /**
   * The key that the grantor acts with; null for a person and for the operator. A person is not a key: what a person makes
   * outlives the session, for it is the person who answers for it.
   */
  readonly key: Pick<ApiKey, "expiresAt" | "allowedIps"> | null
  /** The part of a person where the key is made; null for a key and for the operator. */
  readonly role: Role | null
}

/** A key may not get a scope that its creator lacks, or that its kind cannot have. */
export class ScopeNotGrantable extends Schema.TaggedError<ScopeNotGrantable>()("ScopeNotGrantable", {
  scopes: Schema.Array(Schema.String)
}) {}

/** A key may not outlive the key that makes it, or begin its life expired. */
export class ExpiryNotGrantable extends Schema.TaggedError<ExpiryNotGrantable>()("ExpiryNotGrantable", {
  detail: Schema.String
}) {}

/** A key may not be usable from where the key that makes it is not. */
export class AddressNotGrantable extends Schema.TaggedError<AddressNotGrantable>()("AddressNotGrantable", {
  networks: Schema.Array(Schema.String)
}) {}

/** Why a grant is refused. */
export type GrantRefused = ScopeNotGrantable | ExpiryNotGrantable | AddressNotGrantable

/** What of a key is a grant. */
export type Grant = Pick<ApiKey, "kind" | "scopes" | "expiresAt" | "allowedIps">

/**
 * The scopes that the grantor may give to a key of this kind: its own. Owners and admins may give all of them, webhooks:*
 * included: their own sessions cannot operate webhooks, but the keys that do are made in the dashboard. Spec: Organization
 * API keys 3 and 4.
 */
export const grantableScopes = ({ role, scopes }: KeyGrantor, kind: KeyKind): ReadonlyArray<Scope> =>
  role === "owner" || role === "admin"
    ? scopesOfKind(kind)
    : scopesOfKind(kind).filter((scope) => scopes.includes(scope))

/** Why the grantor may not give this at `now`; undefined when it may. */
export const refusalOf = (grantor: KeyGrantor, grant: Grant, now: DateTime.Utc): GrantRefused | undefined => {
  const grantable = grantableScopes(grantor, grant.kind)
  const scopes = grant.scopes.filter((scope) => !grantable.includes(scope))
  if (scopes.length > 0) return new ScopeNotGrantable({ scopes })
  const { expiresAt } = grant
  if (expiresAt !== null && DateTime.isLessThanOrEqualTo(expiresAt, now)) {
    return new ExpiryNotGrantable({ detail: "The key would be expired already" })
  }
  if (grantor.key === null) return undefined
  const end = grantor.key.expiresAt
  if (end !== null && (expiresAt === null || DateTime.isGreaterThan(expiresAt, end))) {
    return new ExpiryNotGrantable({ detail: "The key would outlive the key that asks for it" })
  }
  const networks = networksOutside(grantor.key.allowedIps, grant.allowedIps)
  return networks.length > 0 ? new AddressNotGrantable({ networks }) : undefined
}

/**
 * Why the grantor may not turn `before` into `after`; undefined when it may. It must be able to give what the key has as
 * well as what it gets: who could not have made a key neither changes nor rotates it.
 */
export const changeRefusalOf = (
  grantor: KeyGrantor,
  before: Grant,
  after: Grant,
  now: DateTime.Utc
): GrantRefused | undefined => {
  const grantable = grantableScopes(grantor, before.kind)
  const scopes = before.scopes.filter((scope) => !grantable.includes(scope))
  return scopes.length > 0 ? new ScopeNotGrantable({ scopes }) : refusalOf(grantor, after, now)
}
