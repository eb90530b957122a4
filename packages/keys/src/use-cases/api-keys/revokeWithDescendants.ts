import { type Actor, recordActivity, UnitOfWork, useCase } from "@agent-platform/kernel"
import { DateTime, Effect } from "effect"
import type { ApiKeyId } from "../../ApiKey.ts"
import { ApiKeyStore, type KeyOwner } from "../../ports/ApiKeyStore.ts"
import { keyAct } from "./keyAct.ts"
import { revokeApiKey } from "./revokeApiKey.ts"

/** Keys that are revoked by one statement. */
const REVOKED_AT_ONCE = 500

/**
 * Revokes a key with every key that it has made, that those have made, and so on, in one transaction. Answers it and how many
 * descendants it has; again answers the same. Fails with ApiKeyNotFound. docs/security.md, When a key leaks.
 */
export const revokeWithDescendants = useCase("keys.revokeWithDescendants")(function* (command: {
  readonly owner: KeyOwner
  readonly id: ApiKeyId
  readonly actor: Actor
}) {
  const store = yield* ApiKeyStore
  const unit = yield* UnitOfWork
  const { actor, id, owner } = command
  const at = yield* DateTime.now
  return yield* unit.atomic(
    Effect.gen(function* () {
      const key = yield* revokeApiKey(command)
      // Keys that were being made meanwhile are seen by the look after their maker was revoked, so the last one finds none.
      let revoked = yield* store.revokeDescendants(owner.organizationId, id, at, REVOKED_AT_ONCE)
      while (revoked.length > 0) {
        yield* recordActivity(...revoked.map((one) => keyAct(one, "revoked", actor)))
        revoked = yield* store.revokeDescendants(owner.organizationId, id, at, REVOKED_AT_ONCE)
      }
      return { key, descendants: yield* store.countDescendants(owner.organizationId, id) }
    })
  )
})
