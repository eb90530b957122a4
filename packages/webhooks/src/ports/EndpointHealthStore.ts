import type { OrganizationId, Transaction } from "@agent-platform/kernel"
import { Context, type Effect } from "effect"
import type { EndpointId } from "../Endpoint.ts"
import type { EndpointHealth } from "../EndpointHealth.ts"

/** The health of the endpoints that a worker sends to. Held by `deliveryContract`. */
export class EndpointHealthStore extends Context.Service<
  EndpointHealthStore,
  {
    /**
     * The health of these endpoints; unknown ones are left out. Until the transaction ends nobody changes them or their health.
     * Settling calls it before it writes deliveries of theirs, which are pending or dead by whether the endpoint is active.
     */
    readonly healthToChange: (
      endpoints: ReadonlyArray<{ readonly organizationId: OrganizationId; readonly endpointId: EndpointId }>
    ) => Effect.Effect<ReadonlyArray<EndpointHealth>, never, Transaction>
    /**
     * Writes `failingSince` and `deadNoticeAt` of health that `healthToChange` has returned, and leaves the status, which
     * `EndpointStore` writes.
     */
    readonly saveHealth: (health: ReadonlyArray<EndpointHealth>) => Effect.Effect<void, never, Transaction>
  }
>()("@agent-platform/webhooks/EndpointHealthStore") {}
