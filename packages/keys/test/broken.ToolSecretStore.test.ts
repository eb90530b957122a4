/** Stores that are broken on purpose, one fault each: a suite that lets a fault through fails here. */
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { type ToolSecret, ToolSecretStore } from "@agent-platform/keys"
import { layer as stores } from "@agent-platform/keys/memory"
import { toolSecretStoreContract } from "@agent-platform/keys/testing"
import { Effect, Layer } from "effect"
import { bite } from "../../kernel/test/bite.ts"

type Store = ToolSecretStore["Service"]

const memory = Layer.merge(Layer.provideMerge(stores, kernel), Tenants.layerUnfounded)

const fault = (name: string, broken: (store: Store) => Partial<Store>, caughtBy: ReadonlyArray<string>) => {
  const layer = Layer.effect(
    ToolSecretStore,
    ToolSecretStore.use((store) => Effect.succeed({ ...store, ...broken(store) }))
  )
  bite(name, () => toolSecretStoreContract("a broken store", Layer.provideMerge(layer, memory)), caughtBy)
}

fault("a store that counts no secrets", () => ({ hold: () => Effect.succeed(0) }), [
  "lets five of twenty who add at once add, where five is what the workspace may have"
])

fault("a store that knows no others alike", () => ({ alike: () => Effect.succeed([]) }), [
  "knows others of the workspace that have the name, or both the pattern and the header"
])

fault(
  "a store that removes secrets by their id alone",
  (store) => {
    const made = new Map<string, ToolSecret>()
    return {
      insert: (secret, sealed) => {
        made.set(secret.id, secret)
        return store.insert(secret, sealed)
      },
      remove: (workspaceId, id) => store.remove(made.get(id)?.workspaceId ?? workspaceId, id)
    }
  },
  ["finds, changes and removes a secret for its workspace and for no other"]
)

fault(
  "a store that keeps the value that was replaced",
  (store) => ({ update: (secret) => store.update(secret, undefined) }),
  ["writes name, client, version and time of a change, and no other member; a value only where there is one"]
)

fault(
  "a store that gives every secret of the workspace",
  (store) => ({
    withPatterns: (workspaceId) =>
      Effect.map(store.everySecret(undefined, 1_000_000), (all) =>
        all.filter(({ secret }) => secret.workspaceId === workspaceId)
      )
  }),
  ["gives those that have one of the patterns, whatever their headers"]
)

fault(
  "a store that replaces whatever value is there",
  (store) => ({
    replaceSealed: (value, resealed) =>
      Effect.gen(function* () {
        const found = (yield* store.everySecret(undefined, 1_000_000)).find(
          ({ secret }) => secret.id === value.position
        )
        return found === undefined ? false : yield* store.replaceSealed({ ...value, sealed: found.sealed }, resealed)
      })
  }),
  ["puts a value in the place of the one that was read, and of no other"]
)
