import type { EventId, OrganizationId, Transaction } from "@agent-platform/kernel"
import { Context, type Effect } from "effect"
import type { EndpointId } from "../Endpoint.ts"
import type { EndpointHealth } from "../EndpointHealth.ts"
import type { Recipient } from "../SendableDelivery.ts"

/** The endpoints that a worker sends to, and their health. Held by `deliveryContract`. */
export class EndpointHealthStore extends Context.Service<
  EndpointHealthStore,
  {
    /** All endpoints, but deleted ones, of the organizations that these events concern; unknown events are left out. */
    readonly recipients: (eventIds: ReadonlyArray<EventId>) => Effect.Effect<ReadonlyArray<Recipient>>
    /**
     * The health of these endpoints. Until the transaction ends nobody changes them or their health, so that deliveries
     * which are written by their status stay right. Called before any delivery of theirs is written. Unknown ones are left out.
     */
    readonly healthToChange: (
      endpoints: ReadonlyArray<{ readonly organizationId: OrganizationId; readonly endpointId: EndpointId }>
    ) => Effect.Effect<ReadonlyArray<EndpointHealth>, never, Transaction>
    /** Writes `failingSince` and `deadNoticeAt` of health that `healthToChange` has returned. */
    readonly saveHealth: (health: ReadonlyArray<EndpointHealth>) => Effect.Effect<void, never, Transaction>
  }
>()("@agent-platform/webhooks/EndpointHealthStore") {}
