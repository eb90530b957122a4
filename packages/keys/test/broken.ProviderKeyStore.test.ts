/** Stores that are broken on purpose, one fault each: a suite that lets a fault through fails here. */
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { type ProviderKey, type ProviderKeyChange, ProviderKeyStore } from "@agent-platform/keys"
import { layer as stores } from "@agent-platform/keys/memory"
import { providerKeyStoreContract } from "@agent-platform/keys/testing"
import { Effect, Layer } from "effect"
import { bite } from "../../kernel/test/bite.ts"

type Store = ProviderKeyStore["Service"]

const memory = Layer.merge(Layer.provideMerge(stores, kernel), Tenants.layerUnfounded)

const fault = (name: string, broken: (store: Store) => Partial<Store>, caughtBy: ReadonlyArray<string>) => {
  const layer = Layer.effect(
    ProviderKeyStore,
    ProviderKeyStore.use((store) => Effect.succeed({ ...store, ...broken(store) }))
  )
  bite(name, () => providerKeyStoreContract("a broken store", Layer.provideMerge(layer, memory)), caughtBy)
}

fault("a store that counts no keys", () => ({ holdKeys: () => Effect.succeed(0) }), [
  "lets five of twenty who register at once register, where five is what the workspace may have"
])

fault(
  "a store that looks for keys by their id alone",
  (store) => {
    const workspaces = new Map<string, ProviderKey["workspaceId"]>()
    return {
      insert: (key, sealed) => {
        workspaces.set(key.id, key.workspaceId)
        return store.insert(key, sealed)
      },
      find: (workspaceId, id) => store.find(workspaces.get(id) ?? workspaceId, id)
    }
  },
  ["finds and changes a key for its workspace and for no other"]
)

fault(
  "a store that keeps the value of a revoked key",
  (store) => {
    const values = new Map<string, string>()
    return {
      insert: (key, sealed) => {
        values.set(key.id, sealed)
        return store.insert(key, sealed)
      },
      findSealed: (workspaceId, id) =>
        Effect.gen(function* () {
          const found = yield* store.findSealed(workspaceId, id)
          const key = yield* store.find(workspaceId, id)
          const sealed = values.get(id)
          return found ?? (key === undefined || sealed === undefined ? undefined : { key, sealed })
        })
    }
  },
  [
    "erases the value with the revocation",
    "lets a revocation win over whatever is changed at the same time",
    "puts a value in the place of the one that was read, and of no other"
  ]
)

fault(
  "a store that reads a key before the others have changed it",
  (store) => {
    const first = new Map<string, ProviderKey>()
    return {
      update: (workspaceId, id, change) =>
        Effect.gen(function* () {
          const found = yield* store.find(workspaceId, id)
          if (found !== undefined && !first.has(id)) first.set(id, found)
          const stale = first.get(id)
          return yield* store.update(workspaceId, id, (key): ProviderKeyChange | undefined => change(stale ?? key))
        })
    }
  },
  [
    "shows each of twenty changes at once what the one before it has made",
    "lets a revocation win over whatever is changed at the same time"
  ]
)

fault(
  "a store that notes no use within an hour of the last",
  (store) => {
    const last = new Map<string, number>()
    return {
      markUsed: (uses) =>
        store.markUsed(
          uses.filter(({ at, id }) => {
            const isSoon = at.epochMilliseconds < (last.get(id) ?? Number.NEGATIVE_INFINITY) + 3_600_000
            if (!isSoon) last.set(id, at.epochMilliseconds)
            return !isSoon
          })
        )
    }
  },
  ["notes a use, but not one within a minute of the last, and never an earlier one"]
)

fault(
  "a store that replaces whatever value is there",
  (store) => ({
    replaceSealed: (value, resealed) =>
      Effect.gen(function* () {
        const found = (yield* store.everyKey(undefined, 1_000_000)).find(({ key }) => key.id === value.position)
        return found === undefined ? false : yield* store.replaceSealed({ ...value, sealed: found.sealed }, resealed)
      })
  }),
  ["puts a value in the place of the one that was read, and of no other"]
)

fault(
  "a store that ignores priorities",
  (store) => ({
    ofProvider: (workspaceId, provider) =>
      Effect.map(store.ofProvider(workspaceId, provider), (found) =>
        [...found].sort((a, b) => (a.key.id < b.key.id ? -1 : 1))
      )
  }),
  ["gives a provider's keys by priority and then the oldest first, without those that are revoked"]
)
