import type { EventId, OrganizationId, Transaction } from "@agent-platform/kernel"
import { Context, type Effect } from "effect"
import type { EndpointId } from "../Endpoint.ts"
import type { EndpointHealth } from "../EndpointHealth.ts"
import type { Recipient } from "../SendableDelivery.ts"

/** Endpoints as those who send to them see them, and how they stand. Held by `deliveryContract`. */
export class EndpointHealthStore extends Context.Service<
  EndpointHealthStore,
  {
    /** The endpoints that are not deleted of the organizations that these events concern; unknown events are left out. */
    readonly recipients: (eventIds: ReadonlyArray<EventId>) => Effect.Effect<ReadonlyArray<Recipient>>
    /**
     * How these endpoints stand. Until the transaction ends nobody changes them or their health, so that what is written
     * under their status stays right. Called before any delivery of theirs is written. Unknown ones are left out.
     */
    readonly healthToChange: (
      endpoints: ReadonlyArray<{ readonly organizationId: OrganizationId; readonly endpointId: EndpointId }>
    ) => Effect.Effect<ReadonlyArray<EndpointHealth>, never, Transaction>
    /** Writes `failingSince` and `deadNoticeAt` of what `healthToChange` answered. */
    readonly saveHealth: (health: ReadonlyArray<EndpointHealth>) => Effect.Effect<void, never, Transaction>
  }
>()("@agent-platform/webhooks/EndpointHealthStore") {}
