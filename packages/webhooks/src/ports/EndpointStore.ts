import type { OrganizationId, Page, PageRequest, Transaction } from "@agent-platform/kernel"
import { Context, type Effect } from "effect"
import type { Endpoint, EndpointId } from "../Endpoint.ts"

/** Keeps endpoints. Held by `endpointStoreContract`. */
export class EndpointStore extends Context.Service<
  EndpointStore,
  {
    /** Until the transaction ends, nobody else holds this organization: what is counted stays true while it writes. */
    readonly hold: (organizationId: OrganizationId) => Effect.Effect<void, never, Transaction>
    readonly countActive: (organizationId: OrganizationId) => Effect.Effect<number>
    readonly insert: (endpoint: Endpoint) => Effect.Effect<void, never, Transaction>
    /** The organization's endpoint, deleted ones included. */
    readonly find: (organizationId: OrganizationId, id: EndpointId) => Effect.Effect<Endpoint | undefined>
    /** As `find`; until the transaction ends nobody changes the endpoint, so what it says stays true. */
    readonly findToAct: (
      organizationId: OrganizationId,
      id: EndpointId
    ) => Effect.Effect<Endpoint | undefined, never, Transaction>
    /** As `find`; until the transaction ends nobody else changes the endpoint or acts on it. */
    readonly findToChange: (
      organizationId: OrganizationId,
      id: EndpointId
    ) => Effect.Effect<Endpoint | undefined, never, Transaction>
    /** Writes an endpoint that `findToChange` found, changed in whatever but its ids and `createdAt`. */
    readonly replace: (endpoint: Endpoint) => Effect.Effect<void, never, Transaction>
    /** The organization's endpoints that are not deleted, newest first. */
    readonly list: (organizationId: OrganizationId, page: PageRequest) => Effect.Effect<Page<Endpoint>>
    /** Every endpoint of these organizations that is not deleted, for handing events out. */
    readonly ofOrganizations: (ids: ReadonlyArray<OrganizationId>) => Effect.Effect<ReadonlyArray<Endpoint>>
  }
>()("@agent-platform/webhooks/EndpointStore") {}
