import { atomic } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import type { ProviderKey } from "../../ProviderKey.ts"
import * as ProviderKeyHealth from "../../ProviderKeyHealth.ts"
import { shownProviderCode } from "../../ProviderKeyValue.ts"
import { ProviderKeyStore } from "../../ports/ProviderKeyStore.ts"
import { ProviderProbe } from "../../ports/ProviderProbe.ts"
import { type FindingRun, notifyInvalidated } from "./keyInvalidated.ts"
import { openKey } from "./openKey.ts"

export interface ReportKeyRejected extends FindingRun {
  /** The key as it was chosen. */
  readonly key: ProviderKey
  readonly providerStatus: number
  /** The provider's own error code. */
  readonly providerCode: string | null
}

/** Whether the provider's answer about `chosen` still matters: the key has the same value, and is neither invalid nor revoked yet. */
const concerns = (chosen: ProviderKey, key: ProviderKey): boolean =>
  key.fingerprint === chosen.fingerprint && key.status !== "invalid" && key.status !== "revoked"

/**
 * Takes the report of a run that a provider has refused a key. The provider is asked once more, outside of any transaction. If it
 * refuses again, the key becomes invalid, once for any number of reports, and the same transaction publishes the event
 * `credential.revoked`, a notice and an activity entry. Otherwise only the refusal is noted. Returns whether the key cannot be
 * used any more. Spec: Events.
 */
export const reportKeyRejected = useCase("providerKeys.reportRejected")(function* (report: ReportKeyRejected) {
  const { id, workspaceId } = report.key
  const store = yield* ProviderKeyStore
  const probe = yield* ProviderProbe
  const found = yield* store.findSealed(workspaceId, id)
  if (found === undefined) return true
  if (!concerns(report.key, found.key)) return found.key.status === "invalid"
  const { baseUrl, provider } = found.key
  const value = yield* openKey(found)
  if (value === undefined) return false
  const outcome = yield* probe.probe({ provider, baseUrl, key: value })
  const { providerStatus } = report
  const answer = { providerStatus, providerCode: shownProviderCode(report.providerCode, value) }
  return yield* atomic(
    Effect.gen(function* () {
      const now = yield* DateTime.now
      const becomes = outcome.type === "rejected" ? ProviderKeyHealth.invalidated : ProviderKeyHealth.doubted
      const changes = yield* store.update(workspaceId, id, (key) =>
        concerns(report.key, key) ? { key: becomes(key, answer, now) } : undefined
      )
      if (changes === undefined) return true
      const { after, before } = changes
      if (after.status === "invalid" && before.status !== "invalid") yield* notifyInvalidated(after, answer, report)
      return after.status === "invalid" || after.status === "revoked"
    })
  )
})
