import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants, TransactionsOverlap } from "@agent-platform/kernel/testing"
import { layer as stores } from "@agent-platform/webhooks/memory"
import {
  deliveryContract,
  deliveryEraserContract,
  deliveryHistoryContract,
  deliveryProtocolContract,
  endpointStoreContract,
  eventDispatchContract,
  eventFeedContract,
  replayStoreContract
} from "@agent-platform/webhooks/testing"
import { Layer } from "effect"

const layer = Layer.mergeAll(stores, Tenants.layerUnfounded, Layer.succeed(TransactionsOverlap, false)).pipe(
  Layer.provideMerge(kernel)
)

endpointStoreContract("memory", layer)
deliveryContract("memory", layer)
deliveryEraserContract("memory", layer)
deliveryHistoryContract("memory", layer)
deliveryProtocolContract("memory", layer)
replayStoreContract("memory", layer)
eventDispatchContract("memory", layer)
eventFeedContract("memory", layer)
