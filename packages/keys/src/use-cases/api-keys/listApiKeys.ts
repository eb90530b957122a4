import type { PageRequest } from "@agent-platform/kernel"
import { Effect } from "effect"
import { ApiKeyStore, type KeyOwner } from "../../ports/ApiKeyStore.ts"

/** The owner's keys, newest first; never their values. Spec: Identity and API keys. */
export const listApiKeys = Effect.fn("keys.listApiKeys")(function* (query: {
  readonly owner: KeyOwner
  readonly page: PageRequest
}) {
  const store = yield* ApiKeyStore
  return yield* store.list(query.owner, query.page)
})
