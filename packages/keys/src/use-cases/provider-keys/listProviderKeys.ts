import type { PageRequest, WorkspaceCaller } from "@agent-platform/kernel"
import { Effect } from "effect"
import { ProviderKeyStore } from "../../ports/ProviderKeyStore.ts"

/** The workspace's keys, newest first, revoked ones included; never their values. Spec: BYOK. */
export const listProviderKeys = Effect.fn("providerKeys.list")(function* (query: {
  readonly caller: WorkspaceCaller
  readonly page: PageRequest
}) {
  const store = yield* ProviderKeyStore
  return yield* store.list(query.caller.workspaceId, query.page)
})
