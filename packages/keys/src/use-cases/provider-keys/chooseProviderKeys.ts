import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect, type Redacted } from "effect"
import {
  mayServe,
  type Provider,
  type ProviderKey,
  ProviderKeyMissing,
  type ProviderKeyStatus
} from "../../ProviderKey.ts"
import { providerKeyStatusAt } from "../../ProviderKeyHealth.ts"
import { PlatformKeys } from "../../ports/PlatformKeys.ts"
import { ProviderKeyStore, type SealedProviderKey } from "../../ports/ProviderKeyStore.ts"
import { TenancyStore } from "../../ports/TenancyStore.ts"
import { openKey } from "./openKey.ts"

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

/** Keys of which states are tried, in this order before their priorities are compared. */
const TRIED: ReadonlyArray<ReadonlyArray<ProviderKeyStatus>> = [
  ["active", "unverified"],
  ["rate_limited"],
  ["quota_exhausted"]
]

/** The keys that may be tried, the best first; the order among those of one rank stays. */
const inOrder = (keys: ReadonlyArray<SealedProviderKey>, now: DateTime.Utc): ReadonlyArray<SealedProviderKey> =>
  TRIED.flatMap((states) => keys.filter(({ key }) => states.includes(providerKeyStatusAt(key, now))))

const open = Effect.fnUntraced(function* (sealed: SealedProviderKey) {
  const value = yield* openKey(sealed)
  if (value === undefined) return undefined
  const { key } = sealed
  const candidate: KeyCandidate = { source: "byok", provider: key.provider, value, baseUrl: key.baseUrl, key }
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
