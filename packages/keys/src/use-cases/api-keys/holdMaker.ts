import type { OrganizationId } from "@agent-platform/kernel"
import { DateTime, Effect } from "effect"
import { type ApiKey, type ApiKeyId, CredentialRefused, statusOf } from "../../ApiKey.ts"
import type { KeyGrantor } from "../../KeyGrant.ts"
import { ApiKeyStore } from "../../ports/ApiKeyStore.ts"

/**
 * Holds the key that makes something, and the keys `beside` it, until the transaction ends: nothing more comes of a key once
 * its revocation is answered. Answers it as it is; null for a person and for the operator. Fails with CredentialRefused.
 */
export const holdMaker = Effect.fnUntraced(function* (
  organizationId: OrganizationId,
  { key }: KeyGrantor,
  ...beside: ReadonlyArray<ApiKeyId>
) {
  if (key === null) return null
  const store = yield* ApiKeyStore
  const held = yield* store.hold(organizationId, [key.id, ...beside])
  const maker = held.find(({ id }) => id === key.id)
  if (maker === undefined) return yield* new CredentialRefused({ reason: "revoked" })
  const status = statusOf(maker, yield* DateTime.now)
  if (status !== "active" && status !== "rotating") return yield* new CredentialRefused({ reason: status })
  return maker
})

/** The grantor as the key is that it acts with, held just now: it may have been narrowed since the request was recognised. */
export const grantorWith = (grantor: KeyGrantor, held: ApiKey | null): KeyGrantor =>
  held === null
    ? grantor
    : { ...grantor, key: held, scopes: grantor.scopes.filter((scope) => held.scopes.includes(scope)) }
