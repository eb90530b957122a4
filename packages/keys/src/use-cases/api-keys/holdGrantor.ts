import type { Transaction } from "@agent-platform/kernel"
import { DateTime, Effect } from "effect"
import { type ApiKey, type ApiKeyId, CredentialRefused, isAccepted, statusOf } from "../../ApiKey.ts"
import { type KeyGrantor, ScopeLost } from "../../KeyGrant.ts"
import { type LoginSessionId, loginSessionStatusOf } from "../../LoginSession.ts"
import { ApiKeyStore, type KeyOwner } from "../../ports/ApiKeyStore.ts"
import { LoginStore, roleOfFound } from "../../ports/LoginStore.ts"
import { scopesOfRole } from "../../Role.ts"

/** The present state of a grantor whose credential is held. */
export interface HeldGrantor extends KeyGrantor {
  readonly key: ApiKey | null
}

const holdKey = Effect.fnUntraced(function* (
  { organizationId }: KeyOwner,
  grantor: KeyGrantor,
  id: ApiKeyId,
  beside: ReadonlyArray<ApiKeyId>
): Effect.fn.Return<HeldGrantor, CredentialRefused, ApiKeyStore | Transaction> {
  const store = yield* ApiKeyStore
  const all = yield* store.hold(organizationId, [id, ...beside])
  const key = all.find((one) => one.id === id)
  if (key === undefined) return yield* new CredentialRefused({ reason: "revoked" })
  const status = statusOf(key, yield* DateTime.now)
  if (!isAccepted(status)) return yield* new CredentialRefused({ reason: status })
  // A temporary key gives nothing to anybody.
  const scopes = key.boundTo === null ? grantor.scopes.filter((scope) => key.scopes.includes(scope)) : []
  return { ...grantor, key, scopes }
})

const holdPerson = Effect.fnUntraced(function* (
  { organizationId, workspaceId }: KeyOwner,
  grantor: KeyGrantor,
  session: LoginSessionId
): Effect.fn.Return<HeldGrantor, CredentialRefused, LoginStore | Transaction> {
  const store = yield* LoginStore
  const found = yield* store.hold(organizationId, session, workspaceId ?? undefined)
  if (found === undefined) return yield* new CredentialRefused({ reason: "revoked" })
  const status = loginSessionStatusOf(found.session, yield* DateTime.now)
  if (status !== "active") return yield* new CredentialRefused({ reason: status })
  const role = roleOfFound(found, workspaceId ?? undefined)
  // Somebody without a role stands as a viewer without scopes, who can give nothing: null is the role of the operator.
  return { ...grantor, key: null, role: role ?? "viewer", scopes: role === null ? [] : scopesOfRole(role) }
})

/**
 * Locks the grantor's credential until the transaction ends: its key together with the keys `beside` it, or its session and
 * membership. So a credential gives nothing more once its revocation, or the removal of its person, is confirmed. Returns the present
 * state of the grantor, which may have been narrowed since its request was recognised; the operator has no credential and stays as
 * given. `owner` is whom the grant is for. Fails with CredentialRefused, and with ScopeLost.
 */
export const holdGrantor = Effect.fnUntraced(function* (
  owner: KeyOwner,
  grantor: KeyGrantor,
  ...beside: ReadonlyArray<ApiKeyId>
) {
  const { key, session } = grantor
  const held: HeldGrantor =
    key !== null
      ? yield* holdKey(owner, grantor, key.id, beside)
      : session !== null
        ? yield* holdPerson(owner, grantor, session)
        : { ...grantor, key }
  // A grantor whose request came with the scope for such grants must have it still.
  const demanded = owner.workspaceId === null ? "org:admin" : "keys:write"
  if (grantor.scopes.includes(demanded) && !held.scopes.includes(demanded)) {
    return yield* new ScopeLost({ scope: demanded })
  }
  return held
})
