import type { EventId, Page, PageRequest } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { Attempt, Delivery, DeliveryState } from "../Delivery.ts"
import type { EndpointId } from "../Endpoint.ts"

/** Which deliveries are listed; every field narrows them. */
export interface DeliveryFilter {
  readonly state?: DeliveryState | undefined
  readonly eventType?: string | undefined
  /** Events from this moment on. */
  readonly since?: DateTime.Utc | undefined
  /** Events before this moment. */
  readonly until?: DateTime.Utc | undefined
}

/** A delivery as it is shown. */
export interface DeliveryRecord {
  readonly delivery: Delivery
  readonly attempts: ReadonlyArray<Attempt>
}

/** How many deliveries are looked at for one page, so that a filter that hardly any passes costs no more than others. */
export const DELIVERIES_LOOKED_AT_MAX = 10_000

/** Deliveries and their attempts as they are shown. Held by `deliveryContract`. */
export class DeliveryRecords extends Context.Service<
  DeliveryRecords,
  {
    readonly find: (endpointId: EndpointId, eventId: EventId) => Effect.Effect<Delivery | undefined>
    /**
     * The endpoint's deliveries that pass the filter, by the time of their events, newest first, each with its newest
     * `ATTEMPTS_SHOWN_MAX` attempts, first to last. A page may look at `DELIVERIES_LOOKED_AT_MAX` of them and no more: one with
     * fewer than were asked for, or with none, is the last only where it has no `next`.
     */
    readonly list: (
      endpointId: EndpointId,
      filter: DeliveryFilter,
      page: PageRequest
    ) => Effect.Effect<Page<DeliveryRecord>>
    /** The newest `ATTEMPTS_SHOWN_MAX` attempts of one delivery, first to last. */
    readonly attempts: (endpointId: EndpointId, eventId: EventId) => Effect.Effect<ReadonlyArray<Attempt>>
  }
>()("@agent-platform/webhooks/DeliveryRecords") {}
