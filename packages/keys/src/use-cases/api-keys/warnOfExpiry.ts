import { notify, UnitOfWork } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import type { ApiKey } from "../../ApiKey.ts"
import { ApiKeyStore } from "../../ports/ApiKeyStore.ts"

/** How long before a key expires its workspace is told, in days. */
export const EXPIRY_NOTICE_DAYS = 7

/** Keys that are made to live no longer than this, in hours, are renewed by what uses them; nobody is told. */
export const SHORT_LIFE_HOURS = 24

/** Most keys that are told of in one transaction. */
const TOLD_MAX = 200

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
 * Posts a notice for every usable key that expires within `EXPIRY_NOTICE_DAYS`: once for each key and expiry, also where
 * several do so at once. A rotating key is not told of: its successor is there. Answers how many were told of.
 */
export const warnOfExpiry = useCase("keys.warnOfExpiry")(function* () {
  const store = yield* ApiKeyStore
  const unit = yield* UnitOfWork
  const now = yield* DateTime.now
  const window = { now, until: DateTime.add(now, { days: EXPIRY_NOTICE_DAYS }), livedHours: SHORT_LIFE_HOURS }
  let total = 0
  while (true) {
    const told = yield* unit.atomic(
      Effect.tap(store.takeExpiring(window, TOLD_MAX), (keys) => notify(...keys.map(noticeOf)))
    )
    total += told.length
    if (told.length < TOLD_MAX) return total
  }
})
