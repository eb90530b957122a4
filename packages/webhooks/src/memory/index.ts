/** The stores of `webhooks` over the kernel's `MemoryDatabase`. */
import type { EventLog } from "@agent-platform/kernel"
import type { MemoryDatabase } from "@agent-platform/kernel/memory"
import { Layer } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { DeliveryStore } from "../ports/DeliveryStore.ts"
import type { EndpointStore } from "../ports/EndpointStore.ts"
import { layerDeliveryStore } from "./MemoryDeliveryStore.ts"
import { layerEndpointStore } from "./MemoryEndpointStore.ts"

/** Both stores. */
export const layer: Layer.Layer<
  EndpointStore | DeliveryStore,
  never,
  MemoryDatabase | EventLog | SecureRandom.SecureRandom
> = Layer.merge(layerEndpointStore, layerDeliveryStore)
