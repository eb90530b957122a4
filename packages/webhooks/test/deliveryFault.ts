/** A way to break a store of deliveries on purpose. */
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { DeliveryStore } from "@agent-platform/webhooks"
import { layer as stores } from "@agent-platform/webhooks/memory"
import { deliveryStoreContract } from "@agent-platform/webhooks/testing"
import { Layer } from "effect"
import { faultsOf } from "../../kernel/test/faultsOf.ts"

const memory = Layer.mergeAll(stores, Tenants.layerUnfounded).pipe(Layer.provideMerge(kernel))

/** A fault of the store, which the suite must catch by these cases. */
export const deliveryFault = faultsOf(DeliveryStore, memory, deliveryStoreContract)
