import { type DateTime, Effect } from "effect"
import { type ApiKey, ApiKeyId, type ApiKeyStatus, type KeyMaker, statusOf } from "../../ApiKey.ts"
import { KeyForms } from "../../KeyForms.ts"
import { grantableScopes } from "../../KeyGrant.ts"
import { LoginSessionId, loginSessionStatusOf } from "../../LoginSession.ts"
import { ApiKeyStore } from "../../ports/ApiKeyStore.ts"
import { LoginStore, roleOfFound } from "../../ports/LoginStore.ts"
import { type Role, scopesOfRole } from "../../Role.ts"

/** The maker's present status, its rights in the key's workspace or organization, and the networks that it is accepted from. */
interface Maker {
  readonly status: ApiKeyStatus
  readonly role: Role | null
  readonly scopes: ReadonlyArray<string>
  readonly allowedIps: ReadonlyArray<string>
}

/** A maker that does not exist any more. */
const GONE: Maker = { status: "revoked", role: null, scopes: [], allowedIps: [] }

const keyMaker = Effect.fnUntraced(function* ({ organizationId }: ApiKey, id: ApiKeyId, now: DateTime.Utc) {
  const store = yield* ApiKeyStore
  const key = yield* store.findMaker(organizationId, id)
  return key === undefined ? GONE : { ...key, status: statusOf(key, now), role: null }
})

const personMaker = Effect.fnUntraced(function* (
  { organizationId, workspaceId }: ApiKey,
  id: LoginSessionId,
  now: DateTime.Utc
) {
  const store = yield* LoginStore
  const found = yield* store.find(organizationId, id, workspaceId ?? undefined)
  if (found === undefined) return GONE
  const role = roleOfFound(found, workspaceId ?? undefined)
  return {
    ...GONE,
    status: loginSessionStatusOf(found.session, now),
    role,
    scopes: role === null ? [] : scopesOfRole(role)
  }
})

/**
 * The status that a temporary key has by its maker, and the networks that it is accepted from. Both are those of the maker, but the key
 * is revoked once the maker may not give all of its scopes any more.
 */
export const standingOf = Effect.fnUntraced(function* (key: ApiKey, { id, type }: KeyMaker, now: DateTime.Utc) {
  const { [key.kind]: form } = yield* KeyForms
  const maker: Maker = yield* type === "api_key"
    ? keyMaker(key, ApiKeyId.make(id), now)
    : personMaker(key, LoginSessionId.make(id), now)
  const grantable = grantableScopes(maker, form)
  const status = key.scopes.every((scope) => grantable.includes(scope)) ? maker.status : "revoked"
  return { status, allowedIps: maker.allowedIps }
})
