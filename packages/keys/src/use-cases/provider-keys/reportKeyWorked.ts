import { UnitOfWork } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import type { ProviderKey } from "../../ProviderKey.ts"
import { worked } from "../../ProviderKeyHealth.ts"
import { ProviderKeyStore } from "../../ports/ProviderKeyStore.ts"

/**
 * What a run reports when a provider has served it with a key: what limited the key is over, and one that was never asked
 * about is active. Costs nothing for a key that was well already. That it was used is noted elsewhere.
 */
export const reportKeyWorked = useCase("providerKeys.reportWorked")(function* (report: {
  /** The key as it was chosen. */
  readonly key: ProviderKey
}) {
  const { fingerprint, id, lastError, status, workspaceId } = report.key
  if (status === "active" && lastError === null) return
  const store = yield* ProviderKeyStore
  const unit = yield* UnitOfWork
  yield* unit.atomic(
    store.update(workspaceId, id, (key) => {
      const next = worked(key)
      return key.fingerprint !== fingerprint || next === key ? undefined : { key: next }
    })
  )
})
