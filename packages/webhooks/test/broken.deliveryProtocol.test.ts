/** Stores that are broken on purpose, one fault each: the model finds each of them with this seed. */
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { DeliveryStore } from "@agent-platform/webhooks"
import { layer as stores } from "@agent-platform/webhooks/memory"
import { deliveryProtocolContract } from "@agent-platform/webhooks/testing"
import { Effect, Layer } from "effect"
import { bite } from "../../kernel/test/bite.ts"

type Deliveries = DeliveryStore["Service"]

const memory = Layer.mergeAll(stores, Tenants.layerUnfounded).pipe(Layer.provideMerge(kernel))

const SEED = 7

const protocolFault = (fault: string, broken: (store: Deliveries) => Partial<Deliveries>) => {
  const layer = Layer.effect(
    DeliveryStore,
    DeliveryStore.use((store) => Effect.succeed({ ...store, ...broken(store) }))
  )
  const suite = () => deliveryProtocolContract("a broken store", Layer.provideMerge(layer, memory), SEED)
  bite(fault, suite, ["is that of the model"])
}

protocolFault("a store that claims one delivery more than it is asked to", (store) => ({
  claimDue: (room) => store.claimDue({ ...room, max: room.max + 1 })
}))

protocolFault("a store that answers that every claim held", (store) => ({
  settle: (settled) => Effect.as(store.settle(settled), new Set(settled.map((one) => one.claimToken)))
}))

protocolFault("a store that lets every claim lapse at once", (store) => ({
  claimDue: (room) => store.claimDue({ ...room, leaseSeconds: 0 })
}))

protocolFault("a store that replays nothing", (store) => ({
  update: (endpointId, eventId) => store.update(endpointId, eventId, (delivery) => delivery)
}))
