import { UnitOfWork } from "@agent-platform/kernel"
import { DateTime, Effect } from "effect"
import { type ApiKeyId, ApiKeyNotFound } from "../ApiKey.ts"
import { ApiKeyStore, type KeyOwner } from "../ports/ApiKeyStore.ts"

/** Revokes a key, from its next request on and for ever; again answers the same. Spec: API keys 5. */
export const revokeApiKey = Effect.fn("keys.revokeApiKey")(function* (command: {
  readonly owner: KeyOwner
  readonly id: ApiKeyId
}) {
  const store = yield* ApiKeyStore
  const unit = yield* UnitOfWork
  const at = yield* DateTime.now
  const key = yield* unit.atomic(store.revoke(command.owner, command.id, at))
  if (key === undefined) return yield* new ApiKeyNotFound()
  return key
})
