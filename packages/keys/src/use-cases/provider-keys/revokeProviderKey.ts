import { atomic, DELETED, Overrides, type WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime } from "effect"
import { type ProviderKeyId, ProviderKeyNotFound } from "../../ProviderKey.ts"
import * as ProviderKeyHealth from "../../ProviderKeyHealth.ts"
import { ProviderKeyStore } from "../../ports/ProviderKeyStore.ts"
import { recordKey } from "./keyActivity.ts"

/**
 * Revokes a key and erases its value. Revoking it again returns the same, with the time of the first revocation. Fails with
 * ProviderKeyNotFound. Spec: BYOK.
 */
export const revokeProviderKey = useCase("providerKeys.revoke")(function* (command: {
  readonly caller: WorkspaceCaller
  readonly id: ProviderKeyId
}) {
  const { actor, workspaceId } = command.caller
  const store = yield* ProviderKeyStore
  const now = yield* DateTime.now
  const noteOverrides = yield* Overrides.use((overrides) => overrides.hold(workspaceId, command.id))
  const changes = yield* store.update(workspaceId, command.id, (key) =>
    key.status === "revoked" ? undefined : { key: ProviderKeyHealth.revoked(key, now) }
  )
  if (changes === undefined) return yield* new ProviderKeyNotFound()
  const { after, before } = changes
  if (before.status === "revoked") return after
  yield* noteOverrides([DELETED])
  yield* recordKey("revoked", actor, after)
  return after
}, atomic)
