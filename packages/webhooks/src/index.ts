/** Organization endpoints, deliveries and signatures. */
export {
  ATTEMPTS_SHOWN_MAX,
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
  DISABLED_BY_REQUEST,
  disabled,
  type Endpoint,
  EndpointId,
  EndpointInactive,
  EndpointLimitReached,
  EndpointNotFound,
  EndpointStatus,
  GRACE_SECONDS_MAX,
  liveSecrets,
  type RetiringSecret,
  subscribes
} from "./Endpoint.ts"
export { type ClaimedDelivery, DeliveryStore, type ReplayPortion, type SettledDelivery } from "./ports/DeliveryStore.ts"
export { EndpointStore } from "./ports/EndpointStore.ts"
export { RETRY_DELAYS_SECONDS, retryDelayMillis } from "./RetrySchedule.ts"
export { deliveryHeaders, generateSecret, sign } from "./Signature.ts"
export type { RegisterEndpoint, RegisteredEndpoint } from "./use-cases/registerEndpoint.ts"
export { Webhooks, type WebhooksPorts } from "./Webhooks.ts"
