/** A way to break a store of deliveries on purpose. */
import { layer as kernel, MemoryDatabase } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { DeliveryStore } from "@agent-platform/webhooks"
import { layer as stores } from "@agent-platform/webhooks/memory"
import { deliveryStoreContract } from "@agent-platform/webhooks/testing"
import { Effect, Layer } from "effect"
import { bite } from "../../kernel/test/bite.ts"

type Deliveries = DeliveryStore["Service"]

const memory = Layer.mergeAll(stores, Tenants.layerUnfounded).pipe(Layer.provideMerge(kernel))

/** A fault of the store, which the suite must catch by these cases. */
export const deliveryFault = (
  fault: string,
  broken: (store: Deliveries, database: MemoryDatabase["Service"]) => Partial<Deliveries>,
  caughtBy: ReadonlyArray<string>
) => {
  const layer = Layer.effect(
    DeliveryStore,
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      return { ...store, ...broken(store, yield* MemoryDatabase) }
    })
  )
  bite(fault, () => deliveryStoreContract("a broken store", Layer.provideMerge(layer, memory)), caughtBy)
}
