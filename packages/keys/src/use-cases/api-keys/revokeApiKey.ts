import { type Actor, atomic, recordActivity } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime } from "effect"
import { type ApiKeyId, ApiKeyNotFound } from "../../ApiKey.ts"
import { ApiKeyStore, type KeyOwner } from "../../ports/ApiKeyStore.ts"
import { keyAct } from "./keyAct.ts"

/** Revokes a key, from its next request on and for ever. Revoking it again returns the same. Spec: API keys 5. */
export const revokeApiKey = useCase("keys.revokeApiKey")(function* (command: {
  readonly owner: KeyOwner
  readonly id: ApiKeyId
  readonly actor: Actor
}) {
  const store = yield* ApiKeyStore
  const at = yield* DateTime.now
  const revoked = yield* store.revoke(command.owner, command.id, at)
  if (revoked === undefined) return yield* new ApiKeyNotFound()
  if (revoked.isFirst) yield* recordActivity(keyAct(revoked.key, "revoked", command.actor))
  return revoked.key
}, atomic)
