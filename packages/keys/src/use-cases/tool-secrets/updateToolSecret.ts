import { atomic, Overrides, SecretBox, type WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, type Redacted } from "effect"
import { ToolSecretStore } from "../../ports/ToolSecretStore.ts"
import {
  changedMembers,
  changedToolSecret,
  type ToolSecretChange,
  ToolSecretChanged,
  type ToolSecretId,
  ToolSecretMismatch,
  ToolSecretNotFound,
  toolSecretPlace
} from "../../ToolSecret.ts"
import { requireFree } from "./requireFree.ts"
import { recordSecret } from "./secretActivity.ts"

export interface UpdateToolSecret {
  readonly caller: WorkspaceCaller
  readonly id: ToolSecretId
  /** The version that the caller has seen; undefined changes any. */
  readonly ifVersion: number | undefined
  /** An undefined member stays as it is. */
  readonly change: ToolSecretChange & {
    /** A new value for the header. */
    readonly value?: Redacted.Redacted | undefined
    /** A new secret of the client. */
    readonly clientSecret?: Redacted.Redacted | undefined
  }
}

/**
 * Changes a secret and answers it as it then stands; a new value replaces the old one, which is erased. Fails with
 * ToolSecretNotFound, ToolSecretChanged, ToolSecretMismatch and ToolSecretTaken.
 */
export const updateToolSecret = useCase("toolSecrets.update")(function* ({
  caller,
  change,
  id,
  ifVersion
}: UpdateToolSecret) {
  const { actor, workspaceId } = caller
  const store = yield* ToolSecretStore
  const box = yield* SecretBox
  // Only the lock is wanted, so 0 counts no secrets. Other writers of the workspace wait, so that a free name stays free.
  yield* store.hold(workspaceId, 0)
  // A template of the organization no longer changes the members that are changed here.
  const noteOverrides = yield* Overrides.use((overrides) => overrides.hold(workspaceId, id))
  const before = yield* store.find(workspaceId, id)
  if (before === undefined) return yield* new ToolSecretNotFound()
  const { version } = before
  if (ifVersion !== undefined && ifVersion !== version) return yield* new ToolSecretChanged({ version })
  const hasOAuth = before.oauth !== null
  const misplaced = hasOAuth ? change.value : (change.oauth ?? change.clientSecret)
  if (misplaced !== undefined) return yield* new ToolSecretMismatch({ hasOAuth })
  const value = change.value ?? change.clientSecret
  const after = changedToolSecret(before, change, value !== undefined, yield* DateTime.now)
  if (after === before) return before
  yield* requireFree(after)
  yield* store.update(after, value && (yield* box.seal(toolSecretPlace(after), value)))
  yield* noteOverrides(changedMembers(before, after, value !== undefined))
  yield* recordSecret("updated", actor, after, { version: after.version, renewed: value !== undefined })
  return after
}, atomic)
