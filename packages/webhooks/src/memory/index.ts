/** The stores of `webhooks` over the kernel's `MemoryDatabase`. */
import { Layer } from "effect"
import { layerDeliveryEraser } from "./MemoryDeliveryEraser.ts"
import { layerDeliveryHistory } from "./MemoryDeliveryHistory.ts"
import { layerDeliveryLifecycle } from "./MemoryDeliveryLifecycle.ts"
import { layerDeliveryQueue } from "./MemoryDeliveryQueue.ts"
import { layerDeliveryRecords } from "./MemoryDeliveryRecords.ts"
import { layerDeliveryReplays } from "./MemoryDeliveryReplays.ts"
import { layerDeliverySettlement } from "./MemoryDeliverySettlement.ts"
import { layerEndpointHealthStore } from "./MemoryEndpointHealthStore.ts"
import { layerEndpointStore } from "./MemoryEndpointStore.ts"
import { layerEventDispatch } from "./MemoryEventDispatch.ts"
import { layerEventFeed } from "./MemoryEventFeed.ts"
import { layerReplayStore } from "./MemoryReplayStore.ts"

/** Every store. */
export const layer = Layer.mergeAll(
  layerEndpointStore,
  layerEndpointHealthStore,
  layerDeliveryQueue,
  layerDeliverySettlement,
  layerDeliveryRecords,
  layerDeliveryLifecycle,
  layerDeliveryReplays,
  layerDeliveryEraser,
  layerDeliveryHistory,
  layerReplayStore,
  layerEventDispatch,
  layerEventFeed
)
