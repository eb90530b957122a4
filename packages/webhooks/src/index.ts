/** Organization endpoints, deliveries and signatures. */
export {
  type Attempt,
  type AttemptOutcome,
  afterAttempt,
  DeadReason,
  type Delivery,
  DeliveryNotFound,
  DeliveryState,
  newDelivery,
  replayed
} from "./Delivery.ts"
export {
  DELIVERY_WORKER_DEFAULTS,
  type DeliveryWorkerOptions,
  type DeliveryWorkerPorts,
  startDeliveryWorker
} from "./DeliveryWorker.ts"
export {
  ACTIVE_ENDPOINTS_MAX,
  type Endpoint,
  EndpointId,
  EndpointInactive,
  EndpointLimitReached,
  EndpointNotFound,
  EndpointStatus,
  secretPlace,
  subscribes
} from "./Endpoint.ts"
export { type ClaimedDelivery, DeliveryStore, type SettledDelivery } from "./ports/DeliveryStore.ts"
export { EndpointStore } from "./ports/EndpointStore.ts"
export { RETRY_DELAYS_SECONDS, retryDelayMillis } from "./RetrySchedule.ts"
export { deliveryHeaders, generateSecret, sign } from "./Signature.ts"
export { sealedEndpointSecrets } from "./sealedEndpointSecrets.ts"
export type { RegisterEndpoint, RegisteredEndpoint } from "./use-cases/registerEndpoint.ts"
export { Webhooks, type WebhooksPorts } from "./Webhooks.ts"
