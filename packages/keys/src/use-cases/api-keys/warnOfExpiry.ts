import { atomic, notify } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import type { ApiKey } from "../../ApiKey.ts"
import { ApiKeyStore } from "../../ports/ApiKeyStore.ts"

/** How long before a key expires its workspace is warned, in days. */
export const EXPIRY_NOTICE_DAYS = 7

/** Nobody is warned of keys made for no longer than this, in hours, since programs renew such keys by themselves. */
export const SHORT_LIFE_HOURS = 24

/** Most keys for which one transaction posts notices. */
const BATCH_MAX = 200

const noticeOf = ({ expiresAt, hint, id, name, organizationId, workspaceId }: ApiKey) => {
  const end = expiresAt === null ? "" : DateTime.formatIso(expiresAt)
  return {
    organizationId,
    workspaceId,
    type: "api_key.expiring",
    title: `The API key '${name}' expires on ${end.slice(0, 10)}`,
    body: `The key ${hint} is refused from ${end} on. Rotate it, or give it a later expiry, before that.`,
    payload: { key_id: id, name, hint, expires_at: end }
  } as const
}

/**
 * Posts a notice for every usable key that expires within `EXPIRY_NOTICE_DAYS`: once for each key and expiry, also when it is
 * called several times at once. A rotating key is left out, since it has a successor. Returns the number of notices.
 */
export const warnOfExpiry = useCase("keys.warnOfExpiry")(function* () {
  const store = yield* ApiKeyStore
  const now = yield* DateTime.now
  const window = { now, until: DateTime.add(now, { days: EXPIRY_NOTICE_DAYS }), lifetimeHours: SHORT_LIFE_HOURS }
  let total = 0
  while (true) {
    const warned = yield* atomic(
      Effect.tap(store.takeExpiring(window, BATCH_MAX), (keys) => notify(...keys.map(noticeOf)))
    )
    total += warned.length
    if (warned.length < BATCH_MAX) return total
  }
})
