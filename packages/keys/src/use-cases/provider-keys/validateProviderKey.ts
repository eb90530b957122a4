import { SecretBox, UnitOfWork, type WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import {
  type ProviderKeyId,
  ProviderKeyNotFound,
  ProviderKeyRevoked,
  ProviderKeyUnreadable,
  providerKeyPlace
} from "../../ProviderKey.ts"
import { afterProbe } from "../../ProviderKeyHealth.ts"
import { ProviderKeyStore } from "../../ports/ProviderKeyStore.ts"
import { ProviderProbe } from "../../ports/ProviderProbe.ts"
import { recordKey } from "./keyActivity.ts"

/**
 * Asks the provider about a key and answers the key as it is then. A refused key is invalid from then on, and an invalid one
 * that is taken is active again. Fails with ProviderKeyNotFound, ProviderKeyRevoked and ProviderKeyUnreadable.
 */
export const validateProviderKey = useCase("providerKeys.validate")(function* (command: {
  readonly caller: WorkspaceCaller
  readonly id: ProviderKeyId
}) {
  const { actor, workspaceId } = command.caller
  const store = yield* ProviderKeyStore
  const box = yield* SecretBox
  const probe = yield* ProviderProbe
  const unit = yield* UnitOfWork
  const found = yield* store.findSealed(workspaceId, command.id)
  if (found === undefined) {
    const key = yield* store.find(workspaceId, command.id)
    return yield* key === undefined ? new ProviderKeyNotFound() : new ProviderKeyRevoked()
  }
  const { baseUrl, fingerprint, provider } = found.key
  const value = yield* box.open(providerKeyPlace(found.key), found.sealed).pipe(
    Effect.catchTag("SecretUnreadable", ({ reason }) =>
      // A fault of the deployment, so its operator is notified as well.
      Effect.andThen(
        Effect.logError(`The provider key ${command.id} cannot be opened: ${reason}`),
        Effect.fail(new ProviderKeyUnreadable())
      )
    )
  )
  const outcome = yield* probe.probe({ provider, baseUrl, key: value })
  return yield* unit.atomic(
    Effect.gen(function* () {
      const now = yield* DateTime.now
      const changes = yield* store.update(workspaceId, command.id, (key) =>
        // The outcome is about the probed value only, so it is dropped where another has replaced that.
        key.status === "revoked" || key.fingerprint !== fingerprint ? undefined : { key: afterProbe(key, outcome, now) }
      )
      if (changes === undefined) return yield* new ProviderKeyNotFound()
      const { after } = changes
      if (after.status === "revoked") return yield* new ProviderKeyRevoked()
      yield* recordKey("validated", actor, after, { outcome: outcome.type })
      return after
    })
  )
})
