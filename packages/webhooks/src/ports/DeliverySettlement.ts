import type { EventId, Transaction } from "@agent-platform/kernel"
import { Context, type Effect } from "effect"
import type { AttemptMade, Delivery } from "../Delivery.ts"
import type { EndpointId } from "../Endpoint.ts"

/** A delivery as its first attempt left it. */
export interface AttemptedDelivery {
  readonly delivery: Delivery
  readonly attempt: AttemptMade
}

/** A claimed delivery after an attempt. The store counts the attempts. */
export interface SettledDelivery extends AttemptedDelivery {
  readonly claimToken: string
}

/** The key of a delivery. */
export interface DeliveryKey {
  readonly endpointId: EndpointId
  readonly eventId: EventId
}

/** Writes deliveries and the outcomes of their attempts. Held by `deliveryContract`. */
export class DeliverySettlement extends Context.Service<
  DeliverySettlement,
  {
    /** Which of these deliveries are stored already. */
    readonly existing: (keys: ReadonlyArray<DeliveryKey>) => Effect.Effect<ReadonlyArray<DeliveryKey>>
    /** Inserts deliveries; one that exists already is left as it is, so handing an event out twice is harmless. */
    readonly insert: (deliveries: ReadonlyArray<Delivery>) => Effect.Effect<void, never, Transaction>
    /**
     * Inserts deliveries that were attempted before they had a row, each with that attempt as its first. One that exists
     * already is left as it is, and the attempt is dropped: another worker attempts it, or has.
     */
    readonly insertAttempted: (attempted: ReadonlyArray<AttemptedDelivery>) => Effect.Effect<void, never, Transaction>
    /**
     * Inserts deliveries that the caller is attempting, claimed by it for `leaseSeconds`, and returns the claims' tokens
     * in the same order: undefined for one that exists already, which is left as it is. One that is not pending gets a void
     * claim: settling under it adds the record of the attempt and changes nothing else.
     */
    readonly insertClaimed: (
      deliveries: ReadonlyArray<Delivery>,
      leaseSeconds: number
    ) => Effect.Effect<ReadonlyArray<string | undefined>, never, Transaction>
    /**
     * Writes the outcomes of attempts, and returns the tokens of those whose claim still held. Where a delivery was replayed
     * or marked dead meanwhile, the record of the attempt is added and the delivery stays as it is.
     */
    readonly settle: (settled: ReadonlyArray<SettledDelivery>) => Effect.Effect<ReadonlySet<string>, never, Transaction>
  }
>()("@agent-platform/webhooks/DeliverySettlement") {}
