/** Tenants, their keys and acts on them, shared by the cases of `apiKeyStoreContract`. */
import { atomic, type UnitOfWork, type WorkspaceId } from "@agent-platform/kernel"
import type { Vitest } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { type ApiKey, type ApiKeyId, scopesOfKind } from "../ApiKey.ts"
import { ApiKeyStore, type KeyOwner } from "../ports/ApiKeyStore.ts"
import { TenancyStore } from "../ports/TenancyStore.ts"
import { aHash, anApiKey, anOrganization, aWorkspace } from "./builders.ts"

/** The ports of the suite: the store itself, and the store of its keys' workspaces. */
export type ApiKeyStoreContractPorts = ApiKeyStore | TenancyStore | UnitOfWork

/** A part of the suite. */
export type Cases = (it: Vitest.MethodsNonLive<ApiKeyStoreContractPorts>) => void

export const REVOKED_AT = DateTime.makeUnsafe("2026-11-22T08:00:00.007Z")

/** Founds an organization with two workspaces, and returns the three owners of keys in it: the organization and each workspace. */
export const tenants = Effect.gen(function* () {
  const store = yield* TenancyStore
  const organization = anOrganization()
  const [first, second] = [1, 2].map(() => aWorkspace({ organizationId: organization.id }))
  if (first === undefined || second === undefined) throw new Error("Two workspaces were made")
  yield* atomic(
    Effect.gen(function* () {
      yield* store.insertOrganization(organization)
      yield* store.insertWorkspace(first)
      yield* store.insertWorkspace(second)
    })
  )
  const owner = (workspaceId: WorkspaceId | null): KeyOwner => ({ organizationId: organization.id, workspaceId })
  return {
    ofOrganization: owner(null),
    first: owner(first.id),
    second: owner(second.id),
    workspaces: [first.id, second.id] as const
  }
})

const insert = (key: ApiKey, hash = aHash()) =>
  ApiKeyStore.use((store) => Effect.as(atomic(store.insert(key, hash)), { key, hash }))
/** Inserts a key of the owner, with every scope of its kind, and returns it with its hash. */
export const keyOf = (owner: KeyOwner, override: Partial<ApiKey> = {}) =>
  insert(
    anApiKey({
      ...owner,
      kind: owner.workspaceId === null ? "organization" : "workspace",
      scopes: scopesOfKind(owner.workspaceId === null ? "organization" : "workspace"),
      organizationRole: owner.workspaceId === null ? "owner" : null,
      ...override
    })
  )
export const revoke = (owner: KeyOwner, id: ApiKeyId, at = REVOKED_AT) =>
  ApiKeyStore.use((store) => atomic(store.revoke(owner, id, at)))

export const noteUse = ({ id, organizationId }: Pick<ApiKey, "id" | "organizationId">, at: DateTime.Utc) =>
  ApiKeyStore.use((store) => atomic(store.noteUses([{ organizationId, id, at }])))
