/** Stores that are broken on purpose, one fault each: a suite that lets a fault through fails here. */
import { layer as kernel } from "@agent-platform/kernel/memory"
import { EndpointStore } from "@agent-platform/webhooks"
import { layer as stores } from "@agent-platform/webhooks/memory"
import { endpointStoreContract } from "@agent-platform/webhooks/testing"
import { Effect, Layer } from "effect"
import { bite } from "../../kernel/test/bite.ts"

type Endpoints = EndpointStore["Service"]

const memory = Layer.provideMerge(stores, kernel)

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
  ["walks the secrets of every organization, and puts another in the place of the one that was read"]
)
