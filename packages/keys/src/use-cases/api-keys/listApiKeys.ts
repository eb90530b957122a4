import type { PageRequest } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { type ApiKey, type ApiKeyStatus, isAccepted, statusOf } from "../../ApiKey.ts"
import { ApiKeyStore, type KeyOwner } from "../../ports/ApiKeyStore.ts"
import { standingOf } from "./standingOf.ts"

/** A key and its status. The status of a temporary key also follows from its maker. */
export interface ListedApiKey extends ApiKey {
  readonly status: ApiKeyStatus
}

const listed = Effect.fnUntraced(function* (key: ApiKey, now: DateTime.Utc) {
  const own = statusOf(key, now)
  const status = key.boundTo === null || !isAccepted(own) ? own : (yield* standingOf(key, key.boundTo, now)).status
  const item: ListedApiKey = { ...key, status }
  return item
})

/** The owner's keys except those for browsers, newest first; never their values. Spec: Identity and API keys. */
export const listApiKeys = useCase("keys.listApiKeys")(function* (query: {
  readonly owner: KeyOwner
  readonly page: PageRequest
}) {
  const store = yield* ApiKeyStore
  const page = yield* store.list(query.owner, query.page)
  const now = yield* DateTime.now
  return { ...page, items: yield* Effect.forEach(page.items, (key) => listed(key, now)) }
})
