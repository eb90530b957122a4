import { atomic, freshId, type IdempotencyRequest, idempotently, recordActivity } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect, type Redacted } from "effect"
import {
  type ApiKey,
  ApiKeyId,
  ApiKeyNotFound,
  ApiKeySettled,
  predecessorOf,
  statusOf,
  successorOf
} from "../../ApiKey.ts"
import { KeyForms } from "../../KeyForms.ts"
import { changeRefusalOf, type KeyGrantor, successorRoleOf } from "../../KeyGrant.ts"
import { generateKeyValue, hashKeyValue, hintOf } from "../../KeyValue.ts"
import { ApiKeyStore, type KeyOwner } from "../../ports/ApiKeyStore.ts"
import { holdGrantor } from "./holdGrantor.ts"
import { keyAct } from "./keyAct.ts"
import { untilWritten } from "./untilWritten.ts"

export interface RotateApiKey {
  readonly owner: KeyOwner
  readonly id: ApiKeyId
  readonly rotator: KeyGrantor
  /** For how long the old value is still accepted, 0 to `GRACE_SECONDS_MAX`. */
  readonly graceSeconds: number
  readonly idempotency: IdempotencyRequest | undefined
}

/** A successor with its value, null on a replay, and the key that it replaces. */
export interface RotatedApiKey {
  readonly key: ApiKey
  readonly value: Redacted.Redacted | null
  readonly old: ApiKey
}

/**
 * Gives a key a successor that may do the same, for as long, under another value. The old value is accepted for the grace and no
 * longer. Of several callers at once, one makes the successor. Fails with ApiKeySettled for a key that is not active or is
 * temporary, as `changeRefusalOf` says, and as `holdGrantor` says when the rotator is revoked meanwhile. Spec: API keys 8 and 9.
 */
export const rotateApiKey = useCase("keys.rotateApiKey")(function* (command: RotateApiKey) {
  const { owner } = command
  const store = yield* ApiKeyStore

  const attempt = Effect.gen(function* () {
    const rotator = yield* holdGrantor(owner, command.rotator, command.id)
    const now = yield* DateTime.now
    const key = yield* store.find(owner, command.id)
    if (key === undefined) return yield* new ApiKeyNotFound()
    if (key.boundTo !== null) return yield* new ApiKeySettled({ status: "temporary" })
    const status = statusOf(key, now)
    if (status !== "active") return yield* new ApiKeySettled({ status })
    const { [key.kind]: form } = yield* KeyForms
    const refused = changeRefusalOf(rotator, key, key, form, now)
    if (refused !== undefined) return yield* refused
    const value = yield* generateKeyValue(key.kind)
    const id = yield* freshId(ApiKeyId)
    const organizationRole = successorRoleOf(rotator, key)
    const made = { id, hint: hintOf(value), organizationRole, createdAt: now, createdBy: rotator.actor }
    const successor = successorOf(key, made)
    const old = predecessorOf(key, successor.id, now, command.graceSeconds)
    if (!(yield* store.replace(old))) return undefined
    yield* store.insert(successor, yield* hashKeyValue(value))
    yield* recordActivity(
      keyAct(old, "rotated", rotator.actor, { successor: successor.id, grace_seconds: command.graceSeconds })
    )
    const rotated: RotatedApiKey = { key: successor, value, old }
    return rotated
  })

  const replayed = Effect.fnUntraced(function* (successorId: string) {
    const key = yield* store.find(owner, ApiKeyId.make(successorId))
    const old = yield* store.find(owner, command.id)
    if (key === undefined || old === undefined) return yield* new ApiKeyNotFound()
    const known: RotatedApiKey = { key, value: null, old }
    return known
  })

  return yield* idempotently(command.idempotency, {
    create: untilWritten(attempt),
    idOf: (made) => made.key.id,
    find: replayed
  })
}, atomic)
