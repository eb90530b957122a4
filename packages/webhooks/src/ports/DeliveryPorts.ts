import type { DeliveryLifecycle } from "./DeliveryLifecycle.ts"
import type { DeliveryQueue } from "./DeliveryQueue.ts"
import type { DeliveryRecords } from "./DeliveryRecords.ts"
import type { DeliveryReplays } from "./DeliveryReplays.ts"
import type { DeliverySettlement } from "./DeliverySettlement.ts"
import type { EndpointHealthStore } from "./EndpointHealthStore.ts"

/** The roles of what keeps deliveries and their attempts. Each use case and each worker asks for those that it needs. */
export type DeliveryPorts =
  | DeliveryQueue
  | DeliverySettlement
  | DeliveryRecords
  | DeliveryLifecycle
  | DeliveryReplays
  | EndpointHealthStore
