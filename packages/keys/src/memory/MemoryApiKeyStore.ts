import { layerMemory, newestFirst } from "@agent-platform/kernel/memory"
import { DateTime, Effect } from "effect"
import type { ApiKey } from "../ApiKey.ts"
import { ApiKeyStore, type ExpiryWindow, type KeyOwner, type KeyUsed, USE_APART_SECONDS } from "../ports/ApiKeyStore.ts"
import type { Workspace } from "../Workspace.ts"
import { closures } from "./closures.ts"

interface KeyRow {
  readonly key: ApiKey
  readonly hash: string
  /** The expiry for which a warning was posted, in milliseconds. */
  readonly expiryWarned?: number
}

const owns = (owner: KeyOwner, key: ApiKey) =>
  key.organizationId === owner.organizationId && key.workspaceId === owner.workspaceId

const isApart = (lastUsedAt: DateTime.Utc | null, at: DateTime.Utc) =>
  lastUsedAt === null || DateTime.isLessThanOrEqualTo(DateTime.add(lastUsedAt, { seconds: USE_APART_SECONDS }), at)

const isFirstInHour = (lastUsedAt: DateTime.Utc | null, at: DateTime.Utc) =>
  lastUsedAt === null || DateTime.isLessThan(lastUsedAt, DateTime.startOf(at, "hour"))

const isExpiring = ({ expiryWarned, key }: KeyRow, { lifetimeHours, now, until }: ExpiryWindow) =>
  key.expiresAt !== null &&
  key.revokedAt === null &&
  key.replacedBy === null &&
  key.boundTo === null &&
  !key.disabled &&
  key.expiresAt.epochMilliseconds !== expiryWarned &&
  DateTime.isGreaterThan(key.expiresAt, now) &&
  DateTime.isLessThanOrEqualTo(key.expiresAt, until) &&
  DateTime.isGreaterThan(key.expiresAt, DateTime.add(key.createdAt, { hours: lifetimeHours }))

const isLive = (key: ApiKey, now: DateTime.Utc) =>
  key.revokedAt === null && (key.expiresAt === null || DateTime.isGreaterThan(key.expiresAt, now))

/** API keys over a `MemoryDatabase`. */
export const layerApiKeyStore = layerMemory(ApiKeyStore)((database) => {
  const keys = database.table<KeyRow>("api_key")
  const workspaces = database.table<Workspace>("workspace")
  const closed = closures(database)
  const ofOrganization = keys.by(({ key }) => key.organizationId)
  const ofHash = keys.by(({ hash }) => hash)

  /** The descendants of a key, the oldest first. */
  const descendantsOf = Effect.fnUntraced(function* (organizationId: string, id: string) {
    const rows = yield* ofOrganization(organizationId)
    const found = new Map<string, KeyRow>()
    const makers = [id]
    for (const maker of makers) {
      for (const row of rows) {
        if (row.key.createdBy.id !== maker || row.key.boundTo !== null || found.has(row.key.id)) continue
        found.set(row.key.id, row)
        makers.push(row.key.id)
      }
    }
    return [...found.values()].sort((a, b) => (a.key.id < b.key.id ? -1 : 1))
  })

  const noteUse = Effect.fnUntraced(function* ({ at, id, organizationId }: KeyUsed) {
    const row = yield* keys.get(id)
    if (row?.key.organizationId !== organizationId || !isApart(row.key.lastUsedAt, at)) return []
    yield* keys.put(id, { ...row, key: { ...row.key, lastUsedAt: at } })
    return isFirstInHour(row.key.lastUsedAt, at) ? [id] : []
  })

  return {
    holdCount: (owner, which, now, max) =>
      Effect.map(ofOrganization(owner.organizationId), (rows) => {
        const live = rows.filter(
          ({ key }) => owns(owner, key) && isLive(key, now) && (key.boundTo !== null) === (which === "temporary")
        )
        return Math.min(live.length, max)
      }),
    insert: (key, hash) => keys.put(key.id, { key, hash }),
    findByHash: Effect.fnUntraced(function* (hash, workspaceId) {
      const [row] = yield* ofHash(hash)
      if (row === undefined) return undefined
      const { key } = row
      if ((yield* closed.isClosed(key.organizationId)) || (yield* closed.isClosed(key.workspaceId))) return undefined
      const workspace = workspaceId === undefined ? undefined : yield* workspaces.get(workspaceId)
      const workspaceFound = workspace?.organizationId === key.organizationId && !(yield* closed.isClosed(workspace.id))
      return { key, workspaceFound }
    }),
    find: (owner, id) =>
      Effect.map(keys.get(id), (row) => (row !== undefined && owns(owner, row.key) ? row.key : undefined)),
    findMaker: (organizationId, id) =>
      Effect.map(keys.get(id), (row) => (row?.key.organizationId === organizationId ? row.key : undefined)),
    // Transactions over memory run one after another, so nothing has to be locked.
    hold: (organizationId, ids) =>
      Effect.map(ofOrganization(organizationId), (rows) =>
        rows.map(({ key }) => key).filter((key) => ids.includes(key.id))
      ),
    list: (owner, page) =>
      Effect.map(ofOrganization(owner.organizationId), (rows) => {
        const mine = rows.map(({ key }) => key).filter((key) => owns(owner, key) && key.reads === null)
        return newestFirst(mine, page)
      }),
    replace: Effect.fnUntraced(function* (key) {
      const row = yield* keys.get(key.id)
      if (row === undefined || !owns(key, row.key) || row.key.version !== key.version - 1) return false
      const { lastUsedAt, revokedAt } = row.key
      yield* keys.put(key.id, { ...row, key: { ...key, lastUsedAt, revokedAt } })
      return true
    }),
    revoke: Effect.fnUntraced(function* (owner, id, at) {
      const row = yield* keys.get(id)
      if (row === undefined || !owns(owner, row.key)) return undefined
      if (row.key.revokedAt !== null) return { key: row.key, isFirst: false }
      const key: ApiKey = { ...row.key, revokedAt: at, version: row.key.version + 1 }
      yield* keys.put(id, { ...row, key })
      return { key, isFirst: true }
    }),
    revokeDescendants: Effect.fnUntraced(function* (organizationId, id, at, max) {
      const rows = (yield* descendantsOf(organizationId, id)).filter(({ key }) => key.revokedAt === null)
      const revoked = rows
        .slice(0, max)
        .map((row): KeyRow => ({ ...row, key: { ...row.key, revokedAt: at, version: row.key.version + 1 } }))
      yield* Effect.forEach(revoked, (row) => keys.put(row.key.id, row), { discard: true })
      return revoked.map(({ key }) => key)
    }),
    countDescendants: (organizationId, id) => Effect.map(descendantsOf(organizationId, id), (rows) => rows.length),
    noteUses: (uses) => Effect.map(Effect.forEach(uses, noteUse), (noted) => noted.flat()),
    takeExpiring: Effect.fnUntraced(function* (window, max) {
      const rows = (yield* keys.all).filter((row) => isExpiring(row, window)).slice(0, max)
      for (const row of rows) {
        yield* keys.put(row.key.id, { ...row, expiryWarned: row.key.expiresAt?.epochMilliseconds ?? 0 })
      }
      return rows.map(({ key }) => key)
    }),
    pruneTemporary: Effect.fnUntraced(function* (expiredBy, max) {
      const isOver = ({ boundTo, expiresAt }: ApiKey) =>
        boundTo !== null && expiresAt !== null && DateTime.isLessThanOrEqualTo(expiresAt, expiredBy)
      const over = (yield* keys.all).filter(({ key }) => isOver(key)).slice(0, max)
      for (const row of over) yield* keys.remove(row.key.id)
      return over.length
    })
  }
})
