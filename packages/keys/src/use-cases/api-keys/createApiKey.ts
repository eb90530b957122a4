import {
  atomic,
  freshId,
  type IdempotencyRequest,
  idempotently,
  QuotaExceeded,
  Quotas,
  recordActivity
} from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect, type Redacted } from "effect"
import { type ApiKey, ApiKeyId, ApiKeyNotFound } from "../../ApiKey.ts"
import { KeyForms } from "../../KeyForms.ts"
import { defaultScopes, inheritedRoleOf, type KeyGrantor, makerOf, refusalOf } from "../../KeyGrant.ts"
import { generateKeyValue, hashKeyValue, hintOf, type KeyKind } from "../../KeyValue.ts"
import { ApiKeyStore, type KeyOwner } from "../../ports/ApiKeyStore.ts"
import type { RateLimit } from "../../RequestBucket.ts"
import { holdGrantor } from "./holdGrantor.ts"
import { keyAct } from "./keyAct.ts"

export interface CreateApiKey {
  /** The owner of the new key: a workspace id makes a workspace key, null an organization key. */
  readonly owner: KeyOwner
  /** The maker of the key, which gets no scopes but those that the maker may give. */
  readonly creator: KeyGrantor
  readonly name: string
  /** Undefined gives the default scopes of `defaultScopes`. */
  readonly scopes: ReadonlyArray<string> | undefined
  /** Undefined gives the expiry of the creator's key, and none where there is no such key. */
  readonly expiresAt: DateTime.Utc | undefined
  /** Networks in their canonical form. Undefined gives those of the creator's key, and no bound where there is no such key. */
  readonly allowedIps: ReadonlyArray<string> | undefined
  readonly rateLimit: RateLimit | null
  readonly metadata: Readonly<Record<string, string>>
  /** Makes a temporary key, which ends with its creator; `reads` is the one thing that a browser key reads. */
  readonly temporary?: Pick<ApiKey, "reads">
  readonly idempotency: IdempotencyRequest | undefined
}

/** The key with its value. The value is null on a replay, since it is shown once and never kept. */
export interface CreatedApiKey {
  readonly key: ApiKey
  readonly value: Redacted.Redacted | null
}

/** The expiry of the new key. A temporary key expires with its creator's key, where that is sooner than asked for. */
const endOf = ({ expiresAt, temporary }: CreateApiKey, creator: KeyGrantor): DateTime.Utc | null => {
  const last = creator.key?.expiresAt ?? null
  if (expiresAt === undefined) return last
  return temporary === undefined || last === null ? expiresAt : DateTime.min(expiresAt, last)
}

/**
 * Creates a key and returns its value, this once. Browser keys leave no entry of activity, since there are too many. Fails as
 * `refusalOf` says when the new key could do more than its creator, for longer, or from other networks; as `holdGrantor` says when
 * the creator is revoked or narrowed meanwhile; and with QuotaExceeded. Spec: API keys 1.
 */
export const createApiKey = useCase("keys.createApiKey")(function* (command: CreateApiKey) {
  const store = yield* ApiKeyStore
  const { owner, temporary } = command
  const kind: KeyKind = owner.workspaceId === null ? "organization" : "workspace"

  const create = Effect.gen(function* () {
    const { [kind]: form } = yield* KeyForms
    const creator = yield* holdGrantor(owner, command.creator)
    const createdAt = yield* DateTime.now
    const grant = {
      kind,
      scopes: command.scopes === undefined ? defaultScopes(creator, form) : [...new Set(command.scopes)],
      expiresAt: endOf(command, creator),
      allowedIps: command.allowedIps ?? creator.key?.allowedIps ?? [],
      organizationRole: kind === "organization" && temporary === undefined ? inheritedRoleOf(creator) : null
    }
    const refused = refusalOf(creator, grant, form, createdAt)
    if (refused !== undefined) return yield* refused
    const quota = temporary === undefined ? "api_keys" : "temporary_keys"
    const { [quota]: limit } = yield* Quotas
    const which = temporary === undefined ? "lasting" : "temporary"
    if ((yield* store.holdCount(owner, which, createdAt, limit)) >= limit) {
      return yield* new QuotaExceeded({ quota, of: kind, limit })
    }
    const value = yield* generateKeyValue(kind)
    const key: ApiKey = {
      id: yield* freshId(ApiKeyId),
      ...owner,
      ...grant,
      name: command.name,
      hint: hintOf(value),
      rateLimit: command.rateLimit,
      metadata: command.metadata,
      disabled: false,
      version: 1,
      createdAt,
      createdBy: creator.actor,
      revokedAt: null,
      lastUsedAt: null,
      replacedBy: null,
      boundTo: temporary === undefined ? null : makerOf(creator),
      reads: temporary?.reads ?? null
    }
    yield* store.insert(key, yield* hashKeyValue(value))
    if (key.reads === null) yield* recordActivity(keyAct(key, "created", creator.actor, { scopes: key.scopes }))
    const created: CreatedApiKey = { key, value }
    return created
  })

  return yield* idempotently(command.idempotency, {
    create,
    idOf: (created) => created.key.id,
    find: (id) =>
      Effect.flatMap(store.find(owner, ApiKeyId.make(id)), (key) =>
        key === undefined ? Effect.fail(new ApiKeyNotFound()) : Effect.succeed<CreatedApiKey>({ key, value: null })
      )
  })
}, atomic)
