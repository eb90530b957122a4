import { layerMemory, newestFirst } from "@agent-platform/kernel/memory"
import { DateTime, Effect } from "effect"
import type { ProviderKey } from "../ProviderKey.ts"
import { ProviderKeyStore, type SealedProviderKey } from "../ports/ProviderKeyStore.ts"

interface Row {
  readonly key: ProviderKey
  /** Null once the key is revoked. */
  readonly sealed: string | null
}

/** The key with its value, if it has one. */
const sealedKeyOf = ({ key, sealed }: Row): ReadonlyArray<SealedProviderKey> =>
  sealed === null ? [] : [{ key, sealed }]

const byId = (a: Row, b: Row) => (a.key.id < b.key.id ? -1 : 1)

/** Provider keys over a `MemoryDatabase`. */
export const layerProviderKeyStore = layerMemory(ProviderKeyStore)((database) => {
  const keys = database.table<Row>("provider_key")
  const find = (workspaceId: string, id: string) =>
    Effect.map(keys.get(id), (row) => (row?.key.workspaceId === workspaceId ? row : undefined))

  return {
    insert: (key, sealed) => keys.put(key.id, { key, sealed }),

    find: (workspaceId, id) => Effect.map(find(workspaceId, id), (row) => row?.key),

    findSealed: (workspaceId, id) =>
      Effect.map(find(workspaceId, id), (row) => (row === undefined ? undefined : sealedKeyOf(row)[0])),

    list: (workspaceId, page) =>
      Effect.map(keys.all, (rows) => {
        const mine = rows.map(({ key }) => key).filter((key) => key.workspaceId === workspaceId)
        return newestFirst(mine, page)
      }),

    holdKeys: (workspaceId) =>
      Effect.map(
        keys.all,
        (rows) => rows.filter(({ key }) => key.workspaceId === workspaceId && key.status !== "revoked").length
      ),

    ofProvider: (workspaceId, provider) =>
      Effect.map(keys.all, (rows) =>
        rows
          .filter(({ key }) => key.workspaceId === workspaceId && key.provider === provider)
          .sort((a, b) => a.key.priority - b.key.priority || byId(a, b))
          .flatMap(sealedKeyOf)
      ),

    update: Effect.fnUntraced(function* (workspaceId, id, change) {
      const row = yield* find(workspaceId, id)
      if (row === undefined) return undefined
      const { key: before } = row
      const changed = change(before)
      if (changed === undefined) return { before, after: before }
      const { baseUrl, createdAt, createdBy, lastUsedAt, organizationId, provider } = before
      const after: ProviderKey = {
        ...changed.key,
        ...{ id, workspaceId, organizationId, provider, baseUrl, createdAt, createdBy, lastUsedAt }
      }
      const sealed = after.status === "revoked" ? null : (changed.sealed ?? row.sealed)
      yield* keys.put(id, { key: after, sealed })
      return { before, after }
    }),

    markUsed: (uses) =>
      Effect.forEach(
        uses,
        Effect.fnUntraced(function* ({ at, id }) {
          const row = yield* keys.get(id)
          if (row === undefined) return
          const last = row.key.lastUsedAt
          if (last !== null && DateTime.isLessThan(at, DateTime.add(last, { minutes: 1 }))) return
          yield* keys.put(id, { ...row, key: { ...row.key, lastUsedAt: at } })
        }),
        { discard: true }
      ),

    everyKey: (after, limit) =>
      Effect.map(keys.all, (rows) =>
        rows
          .filter(({ key }) => after === undefined || key.id > after)
          .sort(byId)
          .flatMap(sealedKeyOf)
          .slice(0, limit)
      ),

    replaceSealed: Effect.fnUntraced(function* (value, resealed) {
      const row = yield* keys.get(value.position)
      if (row?.sealed !== value.sealed) return false
      yield* keys.put(value.position, { ...row, sealed: resealed })
      return true
    })
  }
})
