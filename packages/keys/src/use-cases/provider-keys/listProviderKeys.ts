import type { PageRequest, WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { ProviderKeyStore } from "../../ports/ProviderKeyStore.ts"

/** The workspace's keys, newest first, revoked ones included; never their values. Spec: BYOK. */
export const listProviderKeys = useCase("providerKeys.list")(function* (query: {
  readonly caller: WorkspaceCaller
  readonly page: PageRequest
}) {
  const store = yield* ProviderKeyStore
  return yield* store.list(query.caller.workspaceId, query.page)
})
