import { layerMemory, newestFirst } from "@agent-platform/kernel/memory"
import { Effect } from "effect"
import { type SealedToolSecret, ToolSecretStore } from "../ports/ToolSecretStore.ts"

/** Secrets of tools over a `MemoryDatabase`. */
export const layerToolSecretStore = layerMemory(ToolSecretStore)((database) => {
  const secrets = database.table<SealedToolSecret>("tool_secret")
  const ofWorkspace = (workspaceId: string) =>
    Effect.map(secrets.all, (rows) => rows.filter(({ secret }) => secret.workspaceId === workspaceId))
  const find = (workspaceId: string, id: string) =>
    Effect.map(secrets.get(id), (row) => (row?.secret.workspaceId === workspaceId ? row.secret : undefined))

  return {
    // Transactions in memory run one after another, which is hold enough.
    hold: (workspaceId, max) => Effect.map(ofWorkspace(workspaceId), (rows) => Math.min(rows.length, max)),

    alike: ({ header, hostPattern, id, name, workspaceId }) =>
      Effect.map(ofWorkspace(workspaceId), (rows) =>
        rows
          .map(({ secret }) => secret)
          .filter((one) => one.id !== id)
          .filter((one) => one.name === name || (one.header === header && one.hostPattern === hostPattern))
      ),

    insert: (secret, sealed) => secrets.put(secret.id, { secret, sealed }),

    find,

    list: (workspaceId, page) =>
      Effect.map(ofWorkspace(workspaceId), (rows) =>
        newestFirst(
          rows.map(({ secret }) => secret),
          page
        )
      ),

    withPatterns: (workspaceId, patterns) =>
      Effect.map(ofWorkspace(workspaceId), (rows) =>
        rows.filter(({ secret }) => patterns.includes(secret.hostPattern))
      ),

    update: Effect.fnUntraced(function* ({ id, name, oauth, updatedAt, version, workspaceId }, sealed) {
      const row = yield* secrets.get(id)
      if (row?.secret.workspaceId !== workspaceId) return
      const secret = { ...row.secret, name, oauth, updatedAt, version }
      yield* secrets.put(id, { secret, sealed: sealed ?? row.sealed })
    }),

    remove: Effect.fnUntraced(function* (workspaceId, id) {
      const secret = yield* find(workspaceId, id)
      if (secret !== undefined) yield* secrets.remove(id)
      return secret
    }),

    everySecret: (after, limit) =>
      Effect.map(secrets.all, (rows) =>
        rows
          .filter(({ secret }) => after === undefined || secret.id > after)
          .sort((one, other) => (one.secret.id < other.secret.id ? -1 : 1))
          .slice(0, limit)
      ),

    replaceSealed: Effect.fnUntraced(function* (value, resealed) {
      const row = yield* secrets.get(value.position)
      if (row?.sealed !== value.sealed) return false
      yield* secrets.put(value.position, { ...row, sealed: resealed })
      return true
    })
  }
})
