import { atomic, recordActivity } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import {
  type ApiKeyChange,
  type ApiKeyId,
  ApiKeyNotFound,
  ApiKeySettled,
  ApiKeyVersionConflict,
  changesOf,
  statusOf,
  withChange
} from "../../ApiKey.ts"
import { KeyForms } from "../../KeyForms.ts"
import { changedRoleOf, changeRefusalOf, type KeyGrantor } from "../../KeyGrant.ts"
import { ApiKeyStore, type KeyOwner } from "../../ports/ApiKeyStore.ts"
import { holdGrantor } from "./holdGrantor.ts"
import { keyAct } from "./keyAct.ts"
import { untilWritten } from "./untilWritten.ts"

export interface UpdateApiKey {
  readonly owner: KeyOwner
  readonly id: ApiKeyId
  readonly change: ApiKeyChange
  readonly changer: KeyGrantor
  /** The version that the caller has read; undefined when it does not care. */
  readonly ifVersion: number | undefined
}

/**
 * Changes the named members of a key in its present version, so that concurrent changes of other members are kept, and returns
 * the changed key. Fails with ApiKeyVersionConflict when the version is not `ifVersion`, with ApiKeySettled for a key that is
 * revoked, expired, rotating or temporary, as `changeRefusalOf` says, and as `holdGrantor` says when the changer is revoked or
 * narrowed meanwhile. Spec: API keys 9.
 */
export const updateApiKey = useCase("keys.updateApiKey")(function* (command: UpdateApiKey) {
  const { id, ifVersion, owner } = command
  const store = yield* ApiKeyStore
  const { scopes } = command.change
  const change = scopes === undefined ? command.change : { ...command.change, scopes: [...new Set(scopes)] }

  const attempt = Effect.gen(function* () {
    const changer = yield* holdGrantor(owner, command.changer, id)
    const now = yield* DateTime.now
    const key = yield* store.find(owner, id)
    if (key === undefined) return yield* new ApiKeyNotFound()
    if (key.boundTo !== null) return yield* new ApiKeySettled({ status: "temporary" })
    if (ifVersion !== undefined && ifVersion !== key.version) {
      return yield* new ApiKeyVersionConflict({ version: key.version })
    }
    const status = statusOf(key, now)
    if (status !== "active" && status !== "disabled") return yield* new ApiKeySettled({ status })
    // A key that was replaced without a grace stays disabled, even in a process whose clock is behind and sees no expiry yet.
    if (key.replacedBy !== null) return yield* new ApiKeySettled({ status: "rotating" })
    const changedKey = withChange(key, change)
    const after = { ...changedKey, organizationRole: changedRoleOf(changer, key, changedKey) }
    const { [key.kind]: form } = yield* KeyForms
    const refused = changeRefusalOf(changer, key, after, form, now)
    if (refused !== undefined) return yield* refused
    const names = changesOf(key, change)
    if (names.length === 0) return key
    if (!(yield* store.replace(after))) return undefined
    yield* recordActivity(keyAct(after, "updated", changer.actor, { changed: names, version: after.version }))
    return after
  })

  return yield* untilWritten(attempt)
}, atomic)
