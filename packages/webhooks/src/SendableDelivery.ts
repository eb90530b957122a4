import type { DateTime } from "effect"
import type { Delivery } from "./Delivery.ts"
import type { Endpoint } from "./Endpoint.ts"

/** An endpoint that events are handed out to, and how it stands at this moment. */
export interface Recipient {
  readonly endpoint: Endpoint
  /** See `EndpointHealth`. */
  readonly failingSince: DateTime.Utc | null
}

/** A delivery and all that it takes to attempt it. */
export interface SendableDelivery extends Recipient {
  readonly delivery: Delivery
  /** The exact bytes to sign and send; null when the event is not kept any more. */
  readonly body: string | null
  /** The `traceparent` of what its event reports, where that is recorded. */
  readonly trace?: string | undefined
}
