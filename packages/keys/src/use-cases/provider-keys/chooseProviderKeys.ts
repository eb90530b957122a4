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
  /** The address to call; null for the provider's own. */
  readonly baseUrl: string | null
  /** The workspace's key, by which it is reported on later; null for the platform's key. */
  readonly key: ProviderKey | null
}

/** The states of keys that are tried. Keys of an earlier line go first, whatever their priority. */
const TRIED: ReadonlyArray<ReadonlyArray<ProviderKeyStatus>> = [
  ["active", "unverified"],
  ["rate_limited"],
  ["quota_exhausted"]
]

/** The keys that may be tried, in the order of `TRIED`; keys of one line keep their order. */
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
 * The platform's key, if it may be used: the workspace is allowed such keys, and none of its own keys for the provider forbids a
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
  const found = yield* platform.find(query.provider)
  if (found === undefined) return undefined
  const candidate: KeyCandidate = { source: "platform", provider: query.provider, ...found, key: null }
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
 * limited ones after the others, and last the platform's key where it may be used. Fails with ProviderKeyMissing when there is
 * none. When one of the workspace's keys cannot be opened, the platform's key is not used.
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
