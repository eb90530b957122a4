import { atomic, DELETED, Overrides, type WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { ToolSecretStore } from "../../ports/ToolSecretStore.ts"
import { type ToolSecretId, ToolSecretNotFound } from "../../ToolSecret.ts"
import { recordSecret } from "./secretActivity.ts"

/** Deletes a secret with its value: nothing is sent with it from then on. Fails with ToolSecretNotFound. */
export const deleteToolSecret = useCase("toolSecrets.delete")(function* (command: {
  readonly caller: WorkspaceCaller
  readonly id: ToolSecretId
}) {
  const { actor, workspaceId } = command.caller
  const store = yield* ToolSecretStore
  // Only the lock is wanted, so 0 counts no secrets. A template that is brought to the workspace at this moment waits for it, and then
  // finds that its secret is gone.
  yield* store.hold(workspaceId, 0)
  const noteOverrides = yield* Overrides.use((overrides) => overrides.hold(workspaceId, command.id))
  const secret = yield* store.remove(workspaceId, command.id)
  if (secret === undefined) return yield* new ToolSecretNotFound()
  yield* noteOverrides([DELETED])
  yield* recordSecret("deleted", actor, secret)
  return secret
}, atomic)
