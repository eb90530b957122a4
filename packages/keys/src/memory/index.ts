/** The stores of `keys` over the kernel's `MemoryDatabase`. */
import { type OrganizationId, toPage } from "@agent-platform/kernel"
import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { Effect, Layer } from "effect"
import type { ApiKey } from "../ApiKey.ts"
import { ApiKeyStore, type KeyOwner } from "../ports/ApiKeyStore.ts"
import { TenancyStore } from "../ports/TenancyStore.ts"
import type { Organization, Workspace } from "../Workspace.ts"

interface KeyRow {
  readonly key: ApiKey
  readonly hash: string
}

const owns = (owner: KeyOwner, key: ApiKey) =>
  key.organizationId === owner.organizationId && key.workspaceId === owner.workspaceId

const layerApiKeyStore = Layer.effect(
  ApiKeyStore,
  MemoryDatabase.use((database) => {
    const keys = database.table<KeyRow>("api_key")
    const workspaces = database.table<Workspace>("workspace")
    return Effect.succeed(
      ApiKeyStore.of({
        insert: (key, hash) => keys.put(key.id, { key, hash }),
        findByHash: Effect.fnUntraced(function* (hash, workspaceId) {
          const row = (yield* keys.all).find((candidate) => candidate.hash === hash)
          if (row === undefined) return undefined
          const workspace = workspaceId === undefined ? undefined : yield* workspaces.get(workspaceId)
          return { key: row.key, workspaceFound: workspace?.organizationId === row.key.organizationId }
        }),
        find: (owner, id) =>
          Effect.map(keys.get(id), (row) => (row !== undefined && owns(owner, row.key) ? row.key : undefined)),
        list: (owner, page) =>
          Effect.map(keys.all, (rows) => {
            const mine = rows
              .map((row) => row.key)
              .filter((key) => owns(owner, key) && (page.before === undefined || key.id < page.before))
              .sort((a, b) => (a.id < b.id ? 1 : -1))
            return toPage(mine.slice(0, page.limit + 1), page.limit, (key) => key.id)
          }),
        revoke: Effect.fnUntraced(function* (owner, id, at) {
          const row = yield* keys.get(id)
          if (row === undefined || !owns(owner, row.key)) return undefined
          if (row.key.revokedAt !== null) return row.key
          const key: ApiKey = { ...row.key, revokedAt: at, version: row.key.version + 1 }
          yield* keys.put(id, { ...row, key })
          return key
        })
      })
    )
  })
)

const layerTenancyStore = Layer.effect(
  TenancyStore,
  MemoryDatabase.use((database) => {
    const organizations = database.table<Organization>("organization")
    const workspaces = database.table<Workspace>("workspace")
    return Effect.succeed(
      TenancyStore.of({
        insertOrganization: (organization) => organizations.put(organization.id, organization),
        insertWorkspace: (workspace) => workspaces.put(workspace.id, workspace),
        findOrganization: (id) => organizations.get(id),
        findOrganizationNamed: (name) =>
          Effect.map(
            organizations.all,
            (all) => all.filter((organization) => organization.name === name).sort((a, b) => (a.id < b.id ? -1 : 1))[0]
          ),
        listWorkspaces: (organizationId, page) =>
          Effect.map(workspaces.all, (all) => {
            const mine = all
              .filter(
                (workspace) =>
                  workspace.organizationId === organizationId &&
                  (page.before === undefined || workspace.id < page.before)
              )
              .sort((a, b) => (a.id < b.id ? 1 : -1))
            return toPage(mine.slice(0, page.limit + 1), page.limit, (workspace) => workspace.id)
          }),
        findWorkspace: (organizationId: OrganizationId, workspaceId) =>
          Effect.map(workspaces.get(workspaceId), (workspace) =>
            workspace?.organizationId === organizationId ? workspace : undefined
          )
      })
    )
  })
)

/** Both stores. */
export const layer: Layer.Layer<ApiKeyStore | TenancyStore, never, MemoryDatabase> = Layer.mergeAll(
  layerApiKeyStore,
  layerTenancyStore
)
