import type { DateTime } from "effect"
import type { Delivery } from "./Delivery.ts"
import type { Endpoint } from "./Endpoint.ts"

/** An endpoint to send to, and since when it fails. */
export interface Recipient {
  readonly endpoint: Endpoint
  /** See `EndpointHealth`. */
  readonly failingSince: DateTime.Utc | null
}

/** A delivery with everything that an attempt of it needs. */
export interface SendableDelivery extends Recipient {
  readonly delivery: Delivery
  /** The exact bytes to sign and send; null when the event is not kept any more. */
  readonly body: string | null
  /** The `traceparent` of the work that its event reports, where that is recorded. */
  readonly trace?: string | undefined
}
