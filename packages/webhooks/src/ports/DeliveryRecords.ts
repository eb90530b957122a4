import type { EventId } from "@agent-platform/kernel"
import { Context, type Effect } from "effect"
import type { Attempt, Delivery } from "../Delivery.ts"
import type { EndpointId } from "../Endpoint.ts"

/** Deliveries and their attempts as they are shown. Held by `deliveryContract`. */
export class DeliveryRecords extends Context.Service<
  DeliveryRecords,
  {
    readonly find: (endpointId: EndpointId, eventId: EventId) => Effect.Effect<Delivery | undefined>
    /**
     * The most recent deliveries, by the time of their events, newest first, each with its newest `ATTEMPTS_SHOWN_MAX`
     * attempts, first to last.
     */
    readonly recent: (
      endpointId: EndpointId,
      limit: number
    ) => Effect.Effect<ReadonlyArray<{ readonly delivery: Delivery; readonly attempts: ReadonlyArray<Attempt> }>>
    /** The newest `ATTEMPTS_SHOWN_MAX` attempts of one delivery, first to last. */
    readonly attempts: (endpointId: EndpointId, eventId: EventId) => Effect.Effect<ReadonlyArray<Attempt>>
  }
>()("@agent-platform/webhooks/DeliveryRecords") {}
