import { type Actor, freshId, type IdempotencyRequest, idempotently, UnitOfWork } from "@agent-platform/kernel"
import { DateTime, Effect, type Redacted } from "effect"
import {
  type ApiKey,
  ApiKeyId,
  ApiKeyNotFound,
  ExpiryNotGrantable,
  ScopeNotGrantable,
  scopesOfKind
} from "../ApiKey.ts"
import { generateKeyValue, hashKeyValue, hintOf, type KeyKind } from "../KeyValue.ts"
import { ApiKeyStore, type KeyOwner } from "../ports/ApiKeyStore.ts"
import type { Scope } from "../Scope.ts"

export interface CreateApiKey {
  /** Whose key it becomes: a workspace id makes a workspace key, null an organization key. */
  readonly owner: KeyOwner
  /** Who makes it, and what the maker itself may do; the new key gets no more than that. */
  readonly creator: {
    readonly actor: Actor
    readonly scopes: ReadonlyArray<Scope>
    readonly expiresAt: DateTime.Utc | null
  }
  readonly name: string
  /** Undefined gives every scope of its kind that the creator has. */
  readonly scopes: ReadonlyArray<Scope> | undefined
  readonly expiresAt: DateTime.Utc | undefined
  readonly metadata: Readonly<Record<string, string>>
  readonly idempotency: IdempotencyRequest | undefined
}

/** The key with its value; on a replay the value is null, for a secret that is shown once is never kept. */
export interface CreatedApiKey {
  readonly key: ApiKey
  readonly value: Redacted.Redacted | null
}

/**
 * Creates a key and answers its value, this once. Fails with ScopeNotGrantable or ExpiryNotGrantable when the new
 * key would be able to do more, or for longer, than its creator. Spec: API keys 1.
 */
export const createApiKey = Effect.fn("keys.createApiKey")(function* (command: CreateApiKey) {
  const store = yield* ApiKeyStore
  const unit = yield* UnitOfWork
  const kind: KeyKind = command.owner.workspaceId === null ? "organization" : "workspace"

  const create = Effect.gen(function* () {
    const createdAt = yield* DateTime.now
    const grantable = scopesOfKind(kind).filter((scope) => command.creator.scopes.includes(scope))
    const refused = (command.scopes ?? []).filter((scope) => !grantable.includes(scope))
    if (refused.length > 0) return yield* new ScopeNotGrantable({ scopes: refused })
    const expiresAt = command.expiresAt ?? command.creator.expiresAt
    if (expiresAt !== null && DateTime.isLessThanOrEqualTo(expiresAt, createdAt)) {
      return yield* new ExpiryNotGrantable({ detail: "The key would be expired already" })
    }
    if (
      command.creator.expiresAt !== null &&
      expiresAt !== null &&
      DateTime.isGreaterThan(expiresAt, command.creator.expiresAt)
    ) {
      return yield* new ExpiryNotGrantable({ detail: "The key would outlive the key that makes it" })
    }
    const value = yield* generateKeyValue(kind)
    const key: ApiKey = {
      id: yield* freshId(ApiKeyId),
      kind,
      ...command.owner,
      name: command.name,
      hint: hintOf(value),
      scopes: command.scopes === undefined ? grantable : [...new Set(command.scopes)],
      metadata: command.metadata,
      disabled: false,
      version: 1,
      createdAt,
      createdBy: command.creator.actor,
      expiresAt,
      revokedAt: null,
      lastUsedAt: null
    }
    yield* store.insert(key, yield* hashKeyValue(value))
    const created: CreatedApiKey = { key, value }
    return created
  })

  return yield* unit.atomic(
    idempotently(command.idempotency, {
      create,
      idOf: (created) => created.key.id,
      find: (id) =>
        Effect.flatMap(store.find(command.owner, ApiKeyId.make(id)), (key) =>
          key === undefined ? Effect.fail(new ApiKeyNotFound()) : Effect.succeed<CreatedApiKey>({ key, value: null })
        )
    })
  )
})
