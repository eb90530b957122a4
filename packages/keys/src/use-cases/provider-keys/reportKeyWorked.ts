import { atomic } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import type { ProviderKey } from "../../ProviderKey.ts"
import * as ProviderKeyHealth from "../../ProviderKeyHealth.ts"
import { ProviderKeyStore } from "../../ports/ProviderKeyStore.ts"

/**
 * Takes the report of a run that a call with a key has succeeded: the key's limit is over, and a key that was never probed
 * becomes active. A key that was active without an error costs no query. The use itself is noted elsewhere.
 */
export const reportKeyWorked = useCase("providerKeys.reportWorked")(function* (report: {
  /** The key as it was chosen. */
  readonly key: ProviderKey
}) {
  const { fingerprint, id, lastError, status, workspaceId } = report.key
  if (status === "active" && lastError === null) return
  const store = yield* ProviderKeyStore
  yield* atomic(
    store.update(workspaceId, id, (key) => {
      const next = ProviderKeyHealth.worked(key)
      return key.fingerprint !== fingerprint || next === key ? undefined : { key: next }
    })
  )
})
