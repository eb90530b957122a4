import { atomic, type UnitOfWork } from "@agent-platform/kernel"
import type { Tenant, Tenants } from "@agent-platform/kernel/testing"
import type { Vitest } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import type { ProviderKey } from "../ProviderKey.ts"
import * as ProviderKeyHealth from "../ProviderKeyHealth.ts"
import { type ProviderKeyChange, ProviderKeyStore } from "../ports/ProviderKeyStore.ts"
import { aProviderKey } from "./providerKeyBuilders.ts"

/** The ports of the suite: the store itself, and the maker of its keys' workspaces. */
export type ProviderKeyStoreContractPorts = ProviderKeyStore | UnitOfWork | Tenants

/** A part of the suite. */
export type Cases = (it: Vitest.MethodsNonLive<ProviderKeyStoreContractPorts>) => void

/** The time of all acts of the suite. */
export const NOW = DateTime.makeUnsafe("2026-11-22T08:00:00.007Z")

/** Stands for the sealed value of a key that the suite stores. */
export const sealedOf = (key: ProviderKey) => `v1.k1.${key.id}`
/** Stores a key of the tenant. */
export const insert = (tenant: Tenant, override: Partial<ProviderKey> = {}) =>
  Effect.gen(function* () {
    const store = yield* ProviderKeyStore
    const key = aProviderKey({ ...tenant, ...override })
    yield* atomic(store.insert(key, sealedOf(key)))
    return key
  })
/** Changes a stored key. */
export const update = (
  { id, workspaceId }: Pick<ProviderKey, "id" | "workspaceId">,
  change: (key: ProviderKey) => ProviderKeyChange | undefined
) => ProviderKeyStore.use((store) => atomic(store.update(workspaceId, id, change)))
/** Revokes a stored key. */
export const revoke = (key: ProviderKey, at = NOW) =>
  update(key, (now) => ({ key: ProviderKeyHealth.revoked(now, at) }))
