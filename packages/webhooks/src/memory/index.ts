/** The stores of `webhooks` over the kernel's `MemoryDatabase`. */
import type { EventLog } from "@agent-platform/kernel"
import type { MemoryDatabase } from "@agent-platform/kernel/memory"
import { Layer } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { DeliveryHistory } from "../ports/DeliveryHistory.ts"
import type { DeliveryPorts } from "../ports/DeliveryPorts.ts"
import type { EndpointStore } from "../ports/EndpointStore.ts"
import type { EventFeed } from "../ports/EventFeed.ts"
import type { ReplayStore } from "../ports/ReplayStore.ts"
import { layerDeliveryHistory } from "./MemoryDeliveryHistory.ts"
import { layerDeliveryLifecycle } from "./MemoryDeliveryLifecycle.ts"
import { layerDeliveryQueue } from "./MemoryDeliveryQueue.ts"
import { layerDeliveryRecords } from "./MemoryDeliveryRecords.ts"
import { layerDeliveryReplays } from "./MemoryDeliveryReplays.ts"
import { layerDeliverySettlement } from "./MemoryDeliverySettlement.ts"
import { layerEndpointHealthStore } from "./MemoryEndpointHealthStore.ts"
import { layerEndpointStore } from "./MemoryEndpointStore.ts"
import { layerEventFeed } from "./MemoryEventFeed.ts"
import { layerReplayStore } from "./MemoryReplayStore.ts"

/** Every store. */
export const layer: Layer.Layer<
  EndpointStore | DeliveryPorts | DeliveryHistory | ReplayStore | EventFeed,
  never,
  MemoryDatabase | EventLog | SecureRandom.SecureRandom
> = Layer.mergeAll(
  layerEndpointStore,
  layerEndpointHealthStore,
  layerDeliveryQueue,
  layerDeliverySettlement,
  layerDeliveryRecords,
  layerDeliveryLifecycle,
  layerDeliveryReplays,
  layerDeliveryHistory,
  layerReplayStore,
  layerEventFeed
)
