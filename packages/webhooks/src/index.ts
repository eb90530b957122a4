/** Webhook endpoints, signed deliveries of events to them, replays, and following events as they are published. */
export {
  ATTEMPTS_SHOWN_MAX,
  type Attempt,
  type AttemptMade,
  type AttemptOutcome,
  DeadReason,
  Delivery,
  DeliveryNotFound,
  DeliveryState,
  newDelivery
} from "./Delivery.ts"
export {
  ActiveEndpointsMax,
  ENDPOINT_WORKSPACES_MAX,
  Endpoint,
  EndpointId,
  EndpointInactive,
  EndpointLimitReached,
  EndpointNotFound,
  EndpointNotSubscribed,
  EndpointStatus,
  type EventSubject,
  GRACE_SECONDS_MAX,
  keptSecrets,
  type RetiringSecret,
  secretPlace
} from "./Endpoint.ts"
export type { EndpointHealth } from "./EndpointHealth.ts"
export { webhookEventKinds } from "./events.ts"
export { type FollowerPlace, readFollowerPlace, writeBeginning } from "./FollowerPlace.ts"
export { replayRange } from "./jobs.ts"
export { DELIVERY_MEASURES } from "./measures.ts"
export { beginningOf, endOf, monthOf, monthsBetween } from "./months.ts"
export { DeliveryEraser } from "./ports/DeliveryEraser.ts"
export { DeliveryHistory } from "./ports/DeliveryHistory.ts"
export { DeliveryLifecycle } from "./ports/DeliveryLifecycle.ts"
export { type ClaimedDelivery, type ClaimLimits, DeliveryQueue } from "./ports/DeliveryQueue.ts"
export {
  DELIVERIES_LOOKED_AT_MAX,
  type DeliveryFilter,
  type DeliveryRecord,
  DeliveryRecords
} from "./ports/DeliveryRecords.ts"
export { DeliveryReplays } from "./ports/DeliveryReplays.ts"
export {
  type AttemptedDelivery,
  DeliverySettlement,
  type SettledDelivery
} from "./ports/DeliverySettlement.ts"
export { EndpointHealthStore } from "./ports/EndpointHealthStore.ts"
export { EndpointStore } from "./ports/EndpointStore.ts"
export { EventDispatch, type TakenEvents } from "./ports/EventDispatch.ts"
export { EventFeed, FEED_PAGE_BYTES, FeedPosition, type FollowedEvent } from "./ports/EventFeed.ts"
export { ReplayStore } from "./ports/ReplayStore.ts"
export {
  eventIdBound,
  Replay,
  ReplayId,
  ReplayNotFound,
  ReplaySelection,
  ReplayState,
  StopReason,
  TooManyReplays
} from "./Replay.ts"
export { RETRY_DELAYS_SECONDS, retryDelayMillis } from "./RetrySchedule.ts"
export type { Recipient } from "./SendableDelivery.ts"
export { deliveryHeaders, generateSecret, USER_AGENT } from "./Signature.ts"
export { sealedEndpointSecrets } from "./sealedEndpointSecrets.ts"
export { pruneReplays } from "./use-cases/pruneReplays.ts"
export type { RegisteredEndpoint } from "./use-cases/registerEndpoint.ts"
export { HISTORY_DAYS, tidyHistory } from "./use-cases/tidyHistory.ts"
export { Webhooks, type WebhooksPorts } from "./Webhooks.ts"
export {
  type DeliveryWorkerOptions,
  type DeliveryWorkerPorts,
  startDeliveryWorker
} from "./worker/DeliveryWorker.ts"
export { EventUnknown, type Following } from "./worker/EventHub.ts"
export {
  type ReplayWorkerOptions,
  startReplayPoll,
  startReplayWorker
} from "./worker/ReplayWorker.ts"
