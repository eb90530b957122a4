import { layer as kernel } from "@agent-platform/kernel/memory"
import { layer as stores } from "@agent-platform/webhooks/memory"
import { deliveryStoreContract, endpointStoreContract } from "@agent-platform/webhooks/testing"
import { Layer } from "effect"

const layer = Layer.provideMerge(stores, kernel)

endpointStoreContract("memory", layer)
deliveryStoreContract("memory", layer)
