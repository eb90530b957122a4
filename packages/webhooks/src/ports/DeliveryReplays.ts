import type { EventId, Transaction } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { EndpointId } from "../Endpoint.ts"

/** The deliveries of one endpoint that one step of a range replay sends again. */
export interface ReplayPortion {
  readonly endpointId: EndpointId
  /** Only deliveries of events whose ids come after this one and before the other, as texts: ids sort by time. */
  readonly after: string
  readonly before: string
  /** Only dead deliveries; else those in any state. */
  readonly deadOnly: boolean
  /** How many are sent again at most: the first ones. */
  readonly limit: number
  /** When they become due. */
  readonly now: DateTime.Utc
}

/** Sends ranges of deliveries again, portion by portion: for replay workers alone. Held by `deliveryContract`. */
export class DeliveryReplays extends Context.Service<
  DeliveryReplays,
  {
    /**
     * Changes the deliveries of a portion as `Delivery.replayed` does, and returns the ids of their events, oldest first.
     * Fewer than `limit` means that there are no more. The caller holds the endpoint by `EndpointStore.findToChange`.
     */
    readonly replayPortion: (portion: ReplayPortion) => Effect.Effect<ReadonlyArray<EventId>, never, Transaction>
    /** How many of the endpoint's pending deliveries are due and claimed by nobody, counted up to `max`. */
    readonly countDue: (
      endpointId: EndpointId,
      options: { readonly max: number; readonly now: DateTime.Utc }
    ) => Effect.Effect<number>
  }
>()("@agent-platform/webhooks/DeliveryReplays") {}
