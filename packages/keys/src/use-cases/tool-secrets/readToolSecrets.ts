import type { PageRequest, WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { ToolSecretStore } from "../../ports/ToolSecretStore.ts"
import { type ToolSecretId, ToolSecretNotFound } from "../../ToolSecret.ts"

/** The workspace's secrets, newest first; never their values. */
export const listToolSecrets = useCase("toolSecrets.list")(function* (query: {
  readonly caller: WorkspaceCaller
  readonly page: PageRequest
}) {
  const store = yield* ToolSecretStore
  return yield* store.list(query.caller.workspaceId, query.page)
})

/** One secret without its value. Fails with ToolSecretNotFound. */
export const readToolSecret = useCase("toolSecrets.read")(function* (query: {
  readonly caller: WorkspaceCaller
  readonly id: ToolSecretId
}) {
  const store = yield* ToolSecretStore
  const secret = yield* store.find(query.caller.workspaceId, query.id)
  return secret ?? (yield* new ToolSecretNotFound())
})
