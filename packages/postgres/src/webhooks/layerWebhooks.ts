import { Layer } from "effect"
import * as PgDeliveryHistory from "./PgDeliveryHistory.ts"
import * as PgDeliveryLifecycle from "./PgDeliveryLifecycle.ts"
import * as PgDeliveryQueue from "./PgDeliveryQueue.ts"
import * as PgDeliveryRecords from "./PgDeliveryRecords.ts"
import * as PgDeliveryReplays from "./PgDeliveryReplays.ts"
import * as PgDeliverySettlement from "./PgDeliverySettlement.ts"
import * as PgEndpointHealthStore from "./PgEndpointHealthStore.ts"
import * as PgEndpointStore from "./PgEndpointStore.ts"
import * as PgEventDispatch from "./PgEventDispatch.ts"
import * as PgEventFeed from "./PgEventFeed.ts"
import * as PgReplayStore from "./PgReplayStore.ts"

/** The ports of webhooks, for the platform and for services that embed this domain alone. */
export const layerWebhooks = Layer.mergeAll(
  PgEndpointStore.layer,
  PgDeliveryHistory.layer,
  PgDeliveryLifecycle.layer,
  PgDeliveryQueue.layer,
  PgDeliveryRecords.layer,
  PgDeliveryReplays.layer,
  PgDeliverySettlement.layer,
  PgEndpointHealthStore.layer,
  PgReplayStore.layer,
  PgEventDispatch.layer,
  PgEventFeed.layer
)
