import type { EventId, Transaction } from "@agent-platform/kernel"
import { Context, type Effect } from "effect"
import type { DeadReason, Delivery } from "../Delivery.ts"
import type { EndpointId } from "../Endpoint.ts"

/** Changes deliveries from outside, past the claims on them. Held by `deliveryContract`. */
export class DeliveryLifecycle extends Context.Service<
  DeliveryLifecycle,
  {
    /**
     * Changes a delivery and returns it, or undefined when there is none. It voids any claim on the delivery: an attempt that
     * is under way is still recorded when it is settled, and changes nothing else. Nobody else can alter the delivery between
     * what `change` is given and what it returns.
     */
    readonly update: (
      endpointId: EndpointId,
      eventId: EventId,
      change: (delivery: Delivery) => Delivery
    ) => Effect.Effect<Delivery | undefined, never, Transaction>
    /**
     * Makes every pending delivery of the endpoint dead for this reason, and returns how many. Claims on them are void: an
     * attempt under way makes none pending again. The caller holds the endpoint by `EndpointStore.findToChange`.
     */
    readonly markDead: (endpointId: EndpointId, reason: DeadReason) => Effect.Effect<number, never, Transaction>
  }
>()("@agent-platform/webhooks/DeliveryLifecycle") {}
