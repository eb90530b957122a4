import {
  atomic,
  createdBefore,
  freshId,
  type IdempotencyRequest,
  idempotently,
  Quotas,
  SecretBox,
  type WorkspaceCaller
} from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect, type Redacted } from "effect"
import {
  BaseUrlMisplaced,
  needsBaseUrl,
  type Provider,
  type ProviderKey,
  ProviderKeyId,
  ProviderKeyLimitReached,
  ProviderKeyNotFound,
  ProviderRejectedKey,
  providerKeyPlace,
  withSettings
} from "../../ProviderKey.ts"
import { afterProbe } from "../../ProviderKeyHealth.ts"
import { providerKeyFingerprint, providerKeyHint } from "../../ProviderKeyValue.ts"
import { ProviderKeyStore } from "../../ports/ProviderKeyStore.ts"
import { type ProbeQuestion, ProviderProbe } from "../../ports/ProviderProbe.ts"
import { recordKey } from "./keyActivity.ts"

export interface RegisterProviderKey
  extends Pick<ProviderKey, "provider" | "baseUrl" | "allowedModels" | "priority" | "fallback"> {
  readonly caller: WorkspaceCaller
  readonly value: Redacted.Redacted
  /** Undefined names it after its provider. */
  readonly name: string | undefined
  /** Whether the provider is asked about the key first. */
  readonly validate: boolean
  readonly idempotency: IdempotencyRequest | undefined
}

const demandBaseUrl = (provider: Provider, baseUrl: string | null) => {
  const isNeeded = needsBaseUrl(provider)
  return isNeeded === (baseUrl !== null) ? Effect.void : Effect.fail(new BaseUrlMisplaced({ missing: isNeeded }))
}

/** Asks the provider, and fails with ProviderRejectedKey where it does not take the key. */
export const probeOrRefuse = Effect.fnUntraced(function* (question: ProbeQuestion) {
  const outcome = yield* ProviderProbe.use((probe) => probe.probe(question))
  if (outcome.type !== "rejected") return outcome
  const { providerCode, providerStatus } = outcome
  return yield* new ProviderRejectedKey({ providerCode, providerStatus })
})

/**
 * Admits the base URL of a new key, and asks its provider about the value where that is wanted. Fails with BaseUrlMisplaced,
 * UrlNotPublic and ProviderRejectedKey.
 */
export const admitKey = Effect.fnUntraced(function* ({
  baseUrl,
  provider,
  validate,
  value
}: Pick<RegisterProviderKey, "baseUrl" | "provider" | "validate" | "value">) {
  yield* demandBaseUrl(provider, baseUrl)
  if (baseUrl !== null) yield* ProviderProbe.use((probe) => probe.admit(baseUrl))
  return validate ? yield* probeOrRefuse({ provider, baseUrl, key: value }) : undefined
})

/**
 * Registers a key for the workspace. The provider is asked about it first, outside of any transaction. A key that the provider
 * does not take is not kept, and the call fails with ProviderRejectedKey; where the provider is out of reach, the key is
 * unverified. A replay under the idempotency key does not ask the provider again. Fails with BaseUrlMisplaced, UrlNotPublic and
 * ProviderKeyLimitReached.
 */
export const registerProviderKey = useCase("providerKeys.register")(function* (command: RegisterProviderKey) {
  const { baseUrl, provider, value } = command
  const { actor, organizationId, workspaceId } = command.caller
  const store = yield* ProviderKeyStore
  const box = yield* SecretBox
  // Also for a replay, which `admitKey` is not called for.
  yield* demandBaseUrl(provider, baseUrl)
  const isReplay = (yield* createdBefore(command.idempotency)) !== undefined
  const outcome = isReplay ? undefined : yield* admitKey(command)

  const fingerprint = yield* providerKeyFingerprint(value)
  const create = Effect.gen(function* () {
    const { provider_keys: limit } = yield* Quotas
    if ((yield* store.holdKeys(workspaceId)) >= limit) return yield* new ProviderKeyLimitReached({ limit })
    const createdAt = yield* DateTime.now
    const unverified: ProviderKey = {
      id: yield* freshId(ProviderKeyId),
      organizationId,
      workspaceId,
      provider,
      hint: providerKeyHint(value),
      fingerprint,
      status: "unverified",
      limitedUntil: null,
      ...withSettings({ ...command, name: command.name ?? provider }, {}),
      baseUrl,
      version: 1,
      createdAt,
      createdBy: actor,
      lastUsedAt: null,
      lastValidatedAt: null,
      lastError: null,
      revokedAt: null
    }
    const key = outcome === undefined ? unverified : afterProbe(unverified, outcome, createdAt)
    yield* store.insert(key, yield* box.seal(providerKeyPlace(key), value))
    yield* recordKey("registered", actor, key, { fallback: key.fallback, priority: key.priority })
    return key
  })

  return yield* atomic(
    idempotently(command.idempotency, {
      create,
      idOf: (key) => key.id,
      find: (id) =>
        Effect.flatMap(store.find(workspaceId, ProviderKeyId.make(id)), (key) =>
          key === undefined ? Effect.fail(new ProviderKeyNotFound()) : Effect.succeed(key)
        )
    })
  )
})
