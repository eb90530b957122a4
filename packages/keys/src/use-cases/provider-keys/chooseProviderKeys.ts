import { type OrganizationId, SecretBox, type WorkspaceId } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect, type Redacted } from "effect"
import { mayServe, type Provider, type ProviderKey, ProviderKeyMissing, providerKeyPlace } from "../../ProviderKey.ts"
import { providerKeyStatusAt } from "../../ProviderKeyHealth.ts"
import { PlatformKeys } from "../../ports/PlatformKeys.ts"
import { ProviderKeyStore, type SealedProviderKey } from "../../ports/ProviderKeyStore.ts"
import { TenancyStore } from "../../ports/TenancyStore.ts"

/** A key that a model may be called with. */
export interface KeyCandidate {
  readonly source: "byok" | "platform"
  readonly provider: Provider
  readonly value: Redacted.Redacted
  /** Where to call; null for the provider's own address. */
  readonly baseUrl: string | null
  /** The workspace's key, as reports about it name it; null for the platform's. */
  readonly key: ProviderKey | null
}

/** Which of two keys is tried first, before their priorities are compared; undefined for one that is not tried. */
const rankOf = (key: ProviderKey, now: DateTime.Utc): number | undefined => {
  switch (providerKeyStatusAt(key, now)) {
    case "active":
    case "unverified":
      return 0
    case "rate_limited":
      return 1
    case "quota_exhausted":
      return 2
    case "invalid":
    case "revoked":
      return undefined
  }
}

/** The keys that may be tried, the best first; the order among those of one rank stays. */
const inOrder = (keys: ReadonlyArray<SealedProviderKey>, now: DateTime.Utc): ReadonlyArray<SealedProviderKey> =>
  keys
    .flatMap((one) => {
      const rank = rankOf(one.key, now)
      return rank === undefined ? [] : [{ one, rank }]
    })
    .sort((a, b) => a.rank - b.rank)
    .map(({ one }) => one)

const open = Effect.fnUntraced(function* ({ key, sealed }: SealedProviderKey) {
  const box = yield* SecretBox
  const opened = yield* Effect.result(box.open(providerKeyPlace(key), sealed))
  if (opened._tag === "Failure") {
    yield* Effect.logError(`The provider key ${key.id} cannot be opened: ${opened.failure.reason}`)
    return undefined
  }
  const { baseUrl, provider } = key
  const candidate: KeyCandidate = { source: "byok", provider, value: opened.success, baseUrl, key }
  return candidate
})

/**
 * The platform's key, if it may serve: the workspace is allowed such keys, and none of its own keys of the provider forbids a
 * fallback, whatever its state.
 */
const platformCandidate = Effect.fnUntraced(function* (
  query: ChooseProviderKeys,
  registered: ReadonlyArray<SealedProviderKey>
) {
  if (registered.some(({ key }) => key.fallback === "none")) return undefined
  const tenancy = yield* TenancyStore
  const workspace = yield* tenancy.findWorkspace(query.organizationId, query.workspaceId)
  if (workspace?.allowPlatformKeys !== true) return undefined
  const platform = yield* PlatformKeys
  const value = yield* platform.find(query.provider)
  if (value === undefined) return undefined
  const candidate: KeyCandidate = { source: "platform", provider: query.provider, value, baseUrl: null, key: null }
  return candidate
})

export interface ChooseProviderKeys {
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
  readonly provider: Provider
  readonly model: string
}

/**
 * The keys for calling the model, in the order in which to try them: the workspace's own by priority and then the oldest first,
 * limited ones behind the others, and last the platform's where that may serve. There is at least one; else it fails with
 * ProviderKeyMissing. It fails closed: a key that cannot be opened keeps the platform's away.
 */
export const chooseProviderKeys = useCase("providerKeys.choose")(function* (query: ChooseProviderKeys) {
  const { provider } = query
  const store = yield* ProviderKeyStore
  const registered = yield* store.ofProvider(query.workspaceId, provider)
  const usable = inOrder(registered, yield* DateTime.now)
  const serving = usable.filter(({ key }) => mayServe(key, query.model))
  const opened = (yield* Effect.forEach(serving, open)).filter((candidate) => candidate !== undefined)
  const isUnreadable = opened.length < serving.length
  const platform = isUnreadable ? undefined : yield* platformCandidate(query, registered)
  const candidates = platform === undefined ? opened : [...opened, platform]
  if (candidates.length > 0) return candidates
  if (isUnreadable) return yield* new ProviderKeyMissing({ provider, reason: "unreadable" })
  if (registered.length === 0) return yield* new ProviderKeyMissing({ provider, reason: "none" })
  return yield* new ProviderKeyMissing({ provider, reason: usable.length === 0 ? "unusable" : "model" })
})
