import { type Actor, atomic, recordActivity } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import type { ApiKeyId } from "../../ApiKey.ts"
import { ApiKeyStore, type KeyOwner } from "../../ports/ApiKeyStore.ts"
import { keyAct } from "./keyAct.ts"
import { revokeApiKey } from "./revokeApiKey.ts"

/** Most keys that one transaction revokes. */
export const REVOKED_AT_ONCE = 500

/**
 * Revokes a key, and then all of its descendants in batches: the keys that it has made, the keys made with those, and so on.
 * Returns the key and the number of its descendants, also when it is called again. Each batch is a transaction: the key itself is
 * revoked even when the rest fails, and another call finishes the rest. Fails with ApiKeyNotFound. docs/security.md, When a key
 * leaks.
 */
export const revokeWithDescendants = useCase("keys.revokeWithDescendants")(function* (command: {
  readonly owner: KeyOwner
  readonly id: ApiKeyId
  readonly actor: Actor
}) {
  const store = yield* ApiKeyStore
  const { actor, id, owner } = command
  const at = yield* DateTime.now
  const key = yield* revokeApiKey(command)
  const revokeSome = atomic(
    Effect.gen(function* () {
      const revoked = yield* store.revokeDescendants(owner.organizationId, id, at, REVOKED_AT_ONCE)
      yield* recordActivity(...revoked.map((one) => keyAct(one, "revoked", actor)))
      return revoked.length
    })
  )
  // A key whose making overlaps a batch is found by a later one, since its maker, once revoked, makes no more.
  while ((yield* revokeSome) > 0);
  return { key, descendants: yield* store.countDescendants(owner.organizationId, id) }
})
