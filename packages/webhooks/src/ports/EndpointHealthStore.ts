import type { OrganizationId, Transaction } from "@agent-platform/kernel"
import { Context, type Effect } from "effect"
import type { EndpointId } from "../Endpoint.ts"
import type { EndpointHealth } from "../EndpointHealth.ts"

/** The health of the endpoints that a worker sends to. Held by `deliveryContract`. */
export class EndpointHealthStore extends Context.Service<
  EndpointHealthStore,
  {
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
