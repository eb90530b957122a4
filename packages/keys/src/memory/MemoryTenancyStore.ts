import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { layerMemory, newestFirst } from "@agent-platform/kernel/memory"
import { parseTimezone } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { ERASED_AS_ONE, TenancyStore } from "../ports/TenancyStore.ts"
import type { Organization, Workspace } from "../Workspace.ts"
import { closures } from "./closures.ts"

const oldestFirst = <Named extends { readonly id: string }>(all: ReadonlyArray<Named>, max: number) =>
  all.toSorted((one, other) => (one.id < other.id ? -1 : 1)).slice(0, max)

/** Organizations and workspaces in tables of these names. */
export const layerTenancyStore = layerMemory(TenancyStore)((database) => {
  const organizations = database.table<Organization>("organization")
  const workspaces = database.table<Workspace>("workspace")
  const closed = closures(database)
  const findKept = Effect.fnUntraced(function* (organizationId: OrganizationId, workspaceId: WorkspaceId) {
    const workspace = yield* workspaces.get(workspaceId)
    if (workspace?.organizationId !== organizationId) return undefined
    return { ...workspace, closedAt: (yield* closed.get(workspaceId))?.closedAt ?? null }
  })
  const find = Effect.fnUntraced(function* (organizationId: OrganizationId, workspaceId: WorkspaceId) {
    const kept = yield* findKept(organizationId, workspaceId)
    return kept?.closedAt === null ? yield* workspaces.get(workspaceId) : undefined
  })
  const openOrganizations = Effect.flatMap(organizations.all, closed.open)
  const openWorkspaces = Effect.flatMap(workspaces.all, closed.open)
  const findOrganization = (id: OrganizationId) =>
    Effect.flatMap(closed.isClosed(id), (isClosed) => (isClosed ? Effect.undefined : organizations.get(id)))
  return {
    insertOrganization: (organization) => organizations.put(organization.id, organization),
    holdWorkspaces: Effect.fnUntraced(function* (organizationId, max) {
      const mine = (yield* workspaces.all).filter((workspace) => workspace.organizationId === organizationId)
      const open = yield* closed.open(mine)
      return Math.min(open.length + Math.floor((mine.length - open.length) / ERASED_AS_ONE), max)
    }),
    insertWorkspace: (workspace) => workspaces.put(workspace.id, workspace),
    updateWorkspace: Effect.fnUntraced(function* (workspace) {
      const kept = yield* find(workspace.organizationId, workspace.id)
      if (kept !== undefined) yield* workspaces.put(workspace.id, { ...workspace, createdAt: kept.createdAt })
    }),
    renameOrganization: Effect.fnUntraced(function* (id, name) {
      const kept = yield* findOrganization(id)
      if (kept === undefined) return undefined
      const renamed: Organization = { ...kept, name }
      yield* organizations.put(id, renamed)
      return renamed
    }),
    // The memory store reckons by the runtime's own zones.
    knowsTimezone: (timezone) => Effect.succeed(parseTimezone(timezone) !== undefined),
    findOrganization,
    organizationsNamed: (name, max) =>
      Effect.map(openOrganizations, (all) =>
        oldestFirst(
          all.filter((organization) => organization.name === name),
          max
        )
      ),
    workspacesNamed: (organizationId, name, max) =>
      Effect.map(openWorkspaces, (all) =>
        oldestFirst(
          all.filter((workspace) => workspace.organizationId === organizationId && workspace.name === name),
          max
        )
      ),
    listOrganizations: (page) => Effect.map(openOrganizations, (all) => newestFirst(all, page)),
    listWorkspaces: (organizationId, page, among) =>
      Effect.map(openWorkspaces, (all) =>
        newestFirst(
          all.filter(({ id, organizationId: of }) => of === organizationId && among?.includes(id) !== false),
          page
        )
      ),
    listKeptWorkspaces: Effect.fnUntraced(function* (organizationId, since, page) {
      const mine = (yield* workspaces.all).filter((workspace) => workspace.organizationId === organizationId)
      const kept = yield* Effect.filter(mine, ({ id }) =>
        Effect.map(closed.get(id), (closure) => {
          const erasedAt = closure?.erasedAt ?? null
          return erasedAt === null || DateTime.isGreaterThanOrEqualTo(erasedAt, since)
        })
      )
      return newestFirst(kept, page)
    }),
    findWorkspace: find,
    findKeptWorkspace: findKept,
    withRetention: (after, max) =>
      Effect.map(openWorkspaces, (all) =>
        oldestFirst(
          all.filter(({ id, retentionDays }) => retentionDays !== null && (after === undefined || id > after)),
          max
        )
      ),
    // Transactions over memory run one after another, so nothing has to be locked.
    holdWorkspace: find,
    knownWorkspaces: (organizationId, ids) =>
      Effect.map(
        Effect.forEach(ids, (id) => find(organizationId, id)),
        (found) => {
          const known = found.flatMap((workspace) => (workspace === undefined ? [] : [workspace.id]))
          return new Set(known)
        }
      )
  }
})
