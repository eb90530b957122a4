import type { PageRequest } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { ApiKeyStore, type KeyOwner } from "../../ports/ApiKeyStore.ts"

/** The owner's keys, newest first; never their values. Spec: Identity and API keys. */
export const listApiKeys = useCase("keys.listApiKeys")(function* (query: {
  readonly owner: KeyOwner
  readonly page: PageRequest
}) {
  const store = yield* ApiKeyStore
  return yield* store.list(query.owner, query.page)
})
