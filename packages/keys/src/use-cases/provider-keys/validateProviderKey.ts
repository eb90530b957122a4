import { atomic, type WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { Effect } from "effect"
import {
  type ProviderKeyId,
  ProviderKeyNotFound,
  ProviderKeyRevoked,
  ProviderKeyUnreadable
} from "../../ProviderKey.ts"
import { ProviderKeyStore } from "../../ports/ProviderKeyStore.ts"
import { ProviderProbe } from "../../ports/ProviderProbe.ts"
import { recordKey } from "./keyActivity.ts"
import { openKey } from "./openKey.ts"
import { writeOutcome } from "./probeProviderKeys.ts"

/**
 * Asks the provider about a key and returns the key with the outcome. A refused key is invalid from then on, and an invalid one
 * that is taken is active again. Fails with ProviderKeyNotFound, ProviderKeyRevoked and ProviderKeyUnreadable.
 */
export const validateProviderKey = useCase("providerKeys.validate")(function* (command: {
  readonly caller: WorkspaceCaller
  readonly id: ProviderKeyId
}) {
  const { actor, workspaceId } = command.caller
  const store = yield* ProviderKeyStore
  const probe = yield* ProviderProbe
  const found = yield* store.findSealed(workspaceId, command.id)
  if (found === undefined) {
    const key = yield* store.find(workspaceId, command.id)
    return yield* key === undefined ? new ProviderKeyNotFound() : new ProviderKeyRevoked()
  }
  const { baseUrl, provider } = found.key
  const value = yield* openKey(found)
  if (value === undefined) return yield* new ProviderKeyUnreadable()
  const outcome = yield* probe.probe({ provider, baseUrl, key: value })
  return yield* atomic(
    Effect.gen(function* () {
      const changes = yield* writeOutcome(found.key, outcome)
      if (changes === undefined) return yield* new ProviderKeyNotFound()
      const { after } = changes
      if (after.status === "revoked") return yield* new ProviderKeyRevoked()
      yield* recordKey("validated", actor, after, { outcome: outcome.type })
      return after
    })
  )
})
