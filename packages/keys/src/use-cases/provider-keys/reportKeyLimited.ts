import { atomic } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime } from "effect"
import type { ProviderKey } from "../../ProviderKey.ts"
import * as ProviderKeyHealth from "../../ProviderKeyHealth.ts"
import { ProviderKeyStore } from "../../ports/ProviderKeyStore.ts"

export interface ReportKeyLimited {
  /** The key as it was chosen. */
  readonly key: ProviderKey
  readonly limit: ProviderKeyHealth.Limit
  readonly providerStatus: number
  /** The provider's own code, as returned by `shownProviderCode`. */
  readonly providerCode: string | null
  /** The end of the limit, if the provider named it. */
  readonly until: DateTime.Utc | undefined
}

/** Limits that end this close together count as one, so that many runs that meet the same limit write once. */
const SAME_LIMIT_SECONDS = 10

/** Takes the report of a run that a provider takes a key, but not now. Other keys go first until the limit ends. */
export const reportKeyLimited = useCase("providerKeys.reportLimited")(function* (report: ReportKeyLimited) {
  const { id, workspaceId } = report.key
  const store = yield* ProviderKeyStore
  const now = yield* DateTime.now

  const after = (key: ProviderKey): ProviderKey | undefined => {
    if (key.fingerprint !== report.key.fingerprint) return undefined
    const next = ProviderKeyHealth.limited(key, report.limit, report, now, report.until)
    if (next === key || next.limitedUntil === null) return undefined
    const isNoted =
      key.status === report.limit &&
      key.limitedUntil !== null &&
      DateTime.isLessThan(next.limitedUntil, DateTime.add(key.limitedUntil, { seconds: SAME_LIMIT_SECONDS }))
    return isNoted ? undefined : next
  }

  const key = yield* store.find(workspaceId, id)
  if (key === undefined || after(key) === undefined) return
  yield* atomic(
    store.update(workspaceId, id, (current) => {
      const next = after(current)
      return next === undefined ? undefined : { key: next }
    })
  )
})
