/** Stores that are broken on purpose, one fault each: a suite that lets a fault through fails here. */
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { type Endpoint, EndpointStore, secretPlace } from "@agent-platform/webhooks"
import { layer as stores } from "@agent-platform/webhooks/memory"
import { endpointStoreContract } from "@agent-platform/webhooks/testing"
import { Effect, Layer } from "effect"
import { bite } from "../../kernel/test/bite.ts"

type Endpoints = EndpointStore["Service"]

const memory = Layer.mergeAll(stores, Tenants.layerUnfounded).pipe(Layer.provideMerge(kernel))

const endpointFault = (
  fault: string,
  broken: (store: Endpoints) => Partial<Endpoints>,
  caughtBy: ReadonlyArray<string>
) => {
  const layer = Layer.effect(
    EndpointStore,
    EndpointStore.use((store) => Effect.succeed({ ...store, ...broken(store) }))
  )
  bite(fault, () => endpointStoreContract("a broken store", Layer.provideMerge(layer, memory)), caughtBy)
}

endpointFault("a store that counts no endpoint", () => ({ countActive: () => Effect.succeed(0) }), [
  "counts the active endpoints of the one organization",
  "lets twenty registrations at once leave ten active endpoints"
])

endpointFault(
  "a store that looks for endpoints by their id alone",
  (store) => {
    const owners = new Map<string, Parameters<Endpoints["find"]>[0]>()
    return {
      insert: (endpoint) => {
        owners.set(endpoint.id, endpoint.organizationId)
        return store.insert(endpoint)
      },
      find: (organizationId, id) => store.find(owners.get(id) ?? organizationId, id)
    }
  },
  ["finds nothing under another organization or an unknown id"]
)

endpointFault(
  "a store that replaces whatever secret is there",
  (store) => ({
    replaceSealedSecret: (value, resealed) =>
      Effect.flatMap(store.sealedSecrets(undefined, 1_000_000), (found) => {
        const there = found.find(({ position }) => position === value.position)
        return there === undefined ? Effect.succeed(false) : store.replaceSealedSecret(there, resealed)
      })
  }),
  [
    "puts another secret in the place of the one that was read, current or from before, and of no other",
    "seals a secret again that was rotated away since it was read, and restores none that is gone"
  ]
)

endpointFault(
  "a store that forgets the secrets from before",
  (store) => ({ replace: (endpoint) => store.replace({ ...endpoint, retiringSecrets: [] }) }),
  [
    "puts a changed endpoint in place of the one that was found, and leaves the others as they are",
    "seals a secret again that was rotated away since it was read, and restores none that is gone",
    "loses no rotation to secrets that are sealed again at the same time"
  ]
)

endpointFault(
  "a store that writes changes at once, whatever becomes of their transaction",
  (store) => {
    const late = new Map<string, Endpoint>()
    return {
      replace: (endpoint) => Effect.sync(() => void late.set(endpoint.id, endpoint)),
      find: (organizationId, id) => Effect.map(store.find(organizationId, id), (found) => late.get(id) ?? found)
    }
  },
  [
    "keeps nothing of a change whose transaction fails",
    "lets ten changes at once each see what the one before it made",
    "walks every secret of every organization, those from before too, and those of no deleted endpoint",
    "seals a secret again that was rotated away since it was read, and restores none that is gone",
    "loses no rotation to secrets that are sealed again at the same time"
  ]
)

endpointFault(
  "a store that walks the current secrets alone",
  (store) => ({
    sealedSecrets: (after, limit) =>
      Effect.map(store.sealedSecrets(undefined, 1_000_000), (all) =>
        all
          .filter(({ position }) => position.endsWith("/0") && (after === undefined || position > after))
          .slice(0, limit)
      )
  }),
  [
    "walks every secret of every organization, those from before too, and those of no deleted endpoint",
    "puts another secret in the place of the one that was read, current or from before, and of no other",
    "loses no rotation to secrets that are sealed again at the same time"
  ]
)

endpointFault(
  "a store that replaces the current secret alone",
  (store) => ({
    replaceSealedSecret: (value, resealed) =>
      Effect.flatMap(store.sealedSecrets(undefined, 1_000_000), (all) =>
        all.some(
          ({ place, position, sealed }) => place === value.place && position.endsWith("/0") && sealed === value.sealed
        )
          ? store.replaceSealedSecret(value, resealed)
          : Effect.succeed(false)
      )
  }),
  [
    "puts another secret in the place of the one that was read, current or from before, and of no other",
    "seals a secret again that was rotated away since it was read, and restores none that is gone",
    "loses no rotation to secrets that are sealed again at the same time"
  ]
)

endpointFault(
  "a store that seals secrets again whatever becomes of their transaction",
  (store) => {
    const late = new Map<string, string>()
    return {
      replaceSealedSecret: (value, resealed) =>
        Effect.sync(() => {
          late.set(value.place, resealed)
          return true
        }),
      find: (organizationId, id) =>
        Effect.map(store.find(organizationId, id), (found) => {
          const sealedSecret = found === undefined ? undefined : late.get(secretPlace(found.id))
          return found === undefined || sealedSecret === undefined ? found : { ...found, sealedSecret }
        })
    }
  },
  [
    "puts another secret in the place of the one that was read, current or from before, and of no other",
    "seals a secret again that was rotated away since it was read, and restores none that is gone",
    "keeps nothing of a secret that is sealed again in a transaction that fails",
    "loses no rotation to secrets that are sealed again at the same time"
  ]
)

endpointFault(
  "a store that finds those who name a kind among deleted endpoints, too, and looks at no workspace",
  (store) => {
    const kept: Array<Endpoint> = []
    return {
      naming: (type, workspaces) =>
        Effect.sync(() => {
          const named = workspaces.filter(({ organizationId }) =>
            kept.some((row) => row.organizationId === organizationId && row.eventTypes.includes(type))
          )
          return new Set(named.map(({ workspaceId }) => workspaceId))
        }),
      insert: (endpoint) => {
        kept.push(endpoint)
        return store.insert(endpoint)
      }
    }
  },
  ["knows for which workspaces an endpoint that is not deleted names a kind"]
)
