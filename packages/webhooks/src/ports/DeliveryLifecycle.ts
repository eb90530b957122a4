import type { EventId, Transaction } from "@agent-platform/kernel"
import { Context, type Effect } from "effect"
import type { DeadReason, Delivery } from "../Delivery.ts"
import type { EndpointId } from "../Endpoint.ts"

/** Changes deliveries from outside, past the claims on them. Held by `deliveryContract`. */
export class DeliveryLifecycle extends Context.Service<
  DeliveryLifecycle,
  {
    /**
     * Puts a replayed delivery in place of what is there and voids any claim on it: an attempt that is under way is
     * still recorded when it is settled, and changes nothing else. Undefined when there is none.
     * `change` sees the delivery as it is while nobody else can alter it.
     */
    readonly update: (
      endpointId: EndpointId,
      eventId: EventId,
      change: (delivery: Delivery) => Delivery
    ) => Effect.Effect<Delivery | undefined, never, Transaction>
    /**
     * Makes every pending delivery of the endpoint dead for this reason, and answers how many. A claim on one
     * is void: its attempt does not make it pending again. Called while `EndpointStore.findToChange` keeps the endpoint.
     */
    readonly markDead: (endpointId: EndpointId, reason: DeadReason) => Effect.Effect<number, never, Transaction>
  }
>()("@agent-platform/webhooks/DeliveryLifecycle") {}
