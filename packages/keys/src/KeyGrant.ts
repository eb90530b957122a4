/** Rules for grants, to keys and to people. docs/accounts.md, What a key can be given; decision 0036. */
import type { Actor } from "@agent-platform/kernel"
import { DateTime, Schema } from "effect"
import { networksOutside } from "./AllowedIps.ts"
import { type ApiKey, type KeyMaker, scopesOfKind } from "./ApiKey.ts"
import type { KeyForm } from "./KeyForms.ts"
import type { LoginSessionId } from "./LoginSession.ts"
import { exceeds, lesserOf, OrganizationRole, type Role } from "./Role.ts"

/** The maker, changer or rotator of a key, or an inviter, and the bounds of their grants. */
export interface KeyGrantor {
  readonly actor: Actor
  readonly scopes: ReadonlyArray<string>
  /**
   * The key of the grantor; null for a person and for the operator. A key made by a person outlives the session, since the
   * person and not the session is responsible for it.
   */
  readonly key: Pick<ApiKey, "id" | "kind" | "expiresAt" | "allowedIps" | "organizationRole"> | null
  /** The session that a person acts with; null for a key and for the operator. */
  readonly session: LoginSessionId | null
  /** The role of a person in the workspace or organization of the grant; null for a key and for the operator. */
  readonly role: Role | null
}

/** The grantor had this scope when its request was recognised, and has it no more. */
export class ScopeLost extends Schema.TaggedError<ScopeLost>()("ScopeLost", { scope: Schema.String }) {}

/** A key may not get a scope that its creator or its kind has not. */
export class ScopeNotGrantable extends Schema.TaggedError<ScopeNotGrantable>()("ScopeNotGrantable", {
  scopes: Schema.Array(Schema.String)
}) {}

/** A key may not outlive the key that makes it, or be expired when it is made. */
export class ExpiryNotGrantable extends Schema.TaggedError<ExpiryNotGrantable>()("ExpiryNotGrantable", {
  detail: Schema.String
}) {}

/** A key may not be usable from a network from which the key that makes it is not. */
export class AddressNotGrantable extends Schema.TaggedError<AddressNotGrantable>()("AddressNotGrantable", {
  networks: Schema.Array(Schema.String)
}) {}

/** The caller may not give, change or take this organization role. */
export class RoleNotGrantable extends Schema.TaggedError<RoleNotGrantable>()("RoleNotGrantable", {
  role: OrganizationRole
}) {}

/** The reasons for refusing a grant. */
export type GrantRefused = ScopeNotGrantable | ExpiryNotGrantable | AddressNotGrantable

/** The members of a key that make up its grant. */
export type Grant = Pick<ApiKey, "kind" | "scopes" | "expiresAt" | "allowedIps">

/**
 * The role of a key among the members: none as soon as its scopes, its life or its networks are bounded. A person has no such
 * bounds, so a member invited by a bounded key would have more rights than the key.
 */
export const roleOfKey = (key: Grant & Pick<ApiKey, "organizationRole">): OrganizationRole | null => {
  const isWhole = scopesOfKind(key.kind).every((scope) => key.scopes.includes(scope))
  return isWhole && key.expiresAt === null && key.allowedIps.length === 0 ? key.organizationRole : null
}

/** The role of the grantor among the members; the operator counts as an owner. */
export const organizationRoleOf = ({ key, role, scopes }: KeyGrantor): OrganizationRole | null => {
  if (key !== null) return roleOfKey({ ...key, scopes })
  if (role === null) return "owner"
  return role === "owner" || role === "admin" ? role : null
}

/** The role of the grantor's new organization keys while nothing bounds them: the grantor's own, its bounds left aside. */
export const inheritedRoleOf = (grantor: KeyGrantor): OrganizationRole | null =>
  grantor.key === null ? organizationRoleOf(grantor) : grantor.key.organizationRole

/**
 * The organization role of a key after the grantor has changed it from `before` to `after`. A change that takes bounds away, such as
 * the expiry, lets the key act in its role (`roleOfKey`), so the role is then at most the grantor's own.
 */
export const changedRoleOf = (grantor: KeyGrantor, before: ApiKey, after: ApiKey): OrganizationRole | null =>
  exceeds(roleOfKey(after), roleOfKey(before))
    ? lesserOf(after.organizationRole, inheritedRoleOf(grantor))
    : after.organizationRole

/** The organization role of a key's successor. The grantor gets its value, so the role does not exceed the grantor's. */
export const successorRoleOf = (grantor: KeyGrantor, key: ApiKey): OrganizationRole | null =>
  lesserOf(key.organizationRole, inheritedRoleOf(grantor))

/**
 * The scopes that a key of this kind gets from the grantor when none are named: the grantor's own. Owners and admins give all of
 * the kind's scopes, webhooks:* included. Their sessions cannot operate webhooks, but they make the keys that can. Spec:
 * Organization API keys 3 and 4.
 */
export const defaultScopes = (
  { role, scopes }: Pick<KeyGrantor, "role" | "scopes">,
  form: KeyForm
): ReadonlyArray<string> =>
  role === "owner" || role === "admin" ? form.scopes : form.scopes.filter((scope) => scopes.includes(scope))

/** All scopes that the grantor may give to a key of this kind: the default ones, and its own of those that must be named. */
export const grantableScopes = (grantor: Pick<KeyGrantor, "role" | "scopes">, form: KeyForm): ReadonlyArray<string> => [
  ...defaultScopes(grantor, form),
  ...(form.namedScopes ?? []).filter((scope) => grantor.scopes.includes(scope))
]

/** The credential with which the grantor's temporary keys end; null for the operator, who makes none. */
export const makerOf = ({ key, session }: KeyGrantor): KeyMaker | null => {
  if (key !== null) return { type: "api_key", id: key.id }
  return session && { type: "session", id: session }
}

/** The refusal when the grantor may not give, change or take one of these organization roles; undefined when it may. */
export const roleRefusalOf = (
  grantor: KeyGrantor,
  ...roles: ReadonlyArray<OrganizationRole | null>
): RoleNotGrantable | undefined => {
  const own = organizationRoleOf(grantor)
  const role = roles.find((one) => exceeds(one, own))
  return role == null ? undefined : new RoleNotGrantable({ role })
}

/** The refusal when the grantor may not give these scopes; undefined when it may. */
const scopeRefusalOf = (grantor: KeyGrantor, grant: Grant, form: KeyForm): ScopeNotGrantable | undefined => {
  const grantable = grantableScopes(grantor, form)
  const scopes = grant.scopes.filter((scope) => !grantable.includes(scope))
  return scopes.length > 0 ? new ScopeNotGrantable({ scopes }) : undefined
}

/** The refusal when the grantor may not give this grant at `now`; undefined when it may. */
export const refusalOf = (
  grantor: KeyGrantor,
  grant: Grant,
  form: KeyForm,
  now: DateTime.Utc
): GrantRefused | undefined => {
  const beyond = scopeRefusalOf(grantor, grant, form)
  if (beyond !== undefined) return beyond
  const { expiresAt } = grant
  if (expiresAt !== null && DateTime.isLessThanOrEqualTo(expiresAt, now)) {
    return new ExpiryNotGrantable({ detail: "The key would be expired already" })
  }
  const end = grantor.key?.expiresAt ?? null
  if (end !== null && (expiresAt === null || DateTime.isGreaterThan(expiresAt, end))) {
    return new ExpiryNotGrantable({ detail: "The key would outlive the key that asks for it" })
  }
  const networks = networksOutside(grantor.key?.allowedIps ?? [], grant.allowedIps)
  return networks.length > 0 ? new AddressNotGrantable({ networks }) : undefined
}

/**
 * The refusal when the grantor may not turn `before` into `after`; undefined when it may. It must be able to give the new grant, and
 * also the old scopes: nobody changes or rotates a key that may do more than they may give.
 */
export const changeRefusalOf = (
  grantor: KeyGrantor,
  before: Grant,
  after: Grant,
  form: KeyForm,
  now: DateTime.Utc
): GrantRefused | undefined => scopeRefusalOf(grantor, before, form) ?? refusalOf(grantor, after, form, now)
