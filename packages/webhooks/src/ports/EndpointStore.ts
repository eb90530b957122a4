import type { OrganizationId, Page, PageRequest, SealedValue, Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type Effect } from "effect"
import type { Endpoint, EndpointId } from "../Endpoint.ts"

/** Keeps endpoints. Held by `endpointStoreContract`. */
export class EndpointStore extends Context.Service<
  EndpointStore,
  {
    /** Holds an organization until the transaction ends, against everybody else, so that its counts stay true. */
    readonly hold: (organizationId: OrganizationId) => Effect.Effect<void, never, Transaction>
    readonly countActive: (organizationId: OrganizationId) => Effect.Effect<number>
    /** How many endpoints of the organization are not deleted, counted no further than `max`. */
    readonly countKept: (organizationId: OrganizationId, max: number) => Effect.Effect<number>
    /**
     * Which of the workspaces have an endpoint, other than a deleted one, that names this kind of event. Kinds that are sent
     * by name only are published for these alone.
     */
    readonly naming: (
      eventType: string,
      workspaces: ReadonlyArray<{ readonly organizationId: OrganizationId; readonly workspaceId: WorkspaceId }>
    ) => Effect.Effect<ReadonlySet<WorkspaceId>>
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
    /** Writes an endpoint that `findToChange` found, with any change but to its ids and `createdAt`. */
    readonly replace: (endpoint: Endpoint) => Effect.Effect<void, never, Transaction>
    /** The organization's endpoints, newest first; those that are deleted only where they are asked for. */
    readonly list: (
      organizationId: OrganizationId,
      page: PageRequest,
      options?: { readonly includeDeleted: boolean }
    ) => Effect.Effect<Page<Endpoint>>
    /**
     * Up to `limit` secrets of the endpoints of all organizations, current and retiring ones, behind the position `after` and
     * in the order of positions. A rotation only moves a secret to a later position.
     */
    readonly sealedSecrets: (after: string | undefined, limit: number) => Effect.Effect<ReadonlyArray<SealedValue>>
    /**
     * Puts `resealed` in the place of `value.sealed`, wherever the endpoint keeps it by now; false when it does not. The
     * secret expires when it would have.
     */
    readonly replaceSealedSecret: (value: SealedValue, resealed: string) => Effect.Effect<boolean, never, Transaction>
  }
>()("@agent-platform/webhooks/EndpointStore") {}
