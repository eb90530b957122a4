/** A way to break what keeps deliveries on purpose. */
import { layer as kernel, MemoryDatabase } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { layer as stores } from "@agent-platform/webhooks/memory"
import { type DeliveryStore, deliveryContract, deliveryStore, portsOf } from "@agent-platform/webhooks/testing"
import { Effect, Layer } from "effect"
import { bite } from "../../kernel/test/bite.ts"

const memory = Layer.mergeAll(stores, Tenants.layerUnfounded).pipe(Layer.provideMerge(kernel))

/** Deliveries in memory that are kept in a broken way. */
export const brokenDeliveries = (
  broken: (roles: DeliveryStore, database: MemoryDatabase["Service"]) => Partial<DeliveryStore>
) =>
  Layer.provideMerge(
    Layer.effectContext(
      Effect.gen(function* () {
        const roles = yield* deliveryStore
        return portsOf({ ...roles, ...broken(roles, yield* MemoryDatabase) })
      })
    ),
    memory
  )

/** A fault, which the suite must catch by these cases. */
export const deliveryFault = (
  fault: string,
  broken: Parameters<typeof brokenDeliveries>[0],
  caughtBy: ReadonlyArray<string>
) => bite(fault, () => deliveryContract("a broken one", brokenDeliveries(broken)), caughtBy)
