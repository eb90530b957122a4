import type { ErasedPerson, Eraser, OrganizationId, Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"

/** A workspace or an organization that is, is being erased, or was. */
export interface KeptTenant {
  /** Since when it is being erased. */
  readonly closedAt: DateTime.Utc | null
  /** When it was erased: nothing is left of it but its id. */
  readonly erasedAt: DateTime.Utc | null
}

/**
 * Erases credentials, people and tenants. A tenant is closed first: from that moment on it is not found, and its keys and
 * sessions are unknown. At the end its row stays, without a name, for the sums that refer to it; that of a
 * workspace without any goes. As an `Eraser` it has API
 * keys, provider keys, members with their sessions, and their grants; of a person also the login identity, and in the place of
 * their name as a maker of keys `ERASED_PERSON`. Held by `keyEraserContract`.
 */
export class KeyEraser extends Context.Service<
  KeyEraser,
  Eraser & {
    readonly findWorkspace: (
      organizationId: OrganizationId,
      workspaceId: WorkspaceId
    ) => Effect.Effect<KeptTenant | undefined>
    readonly findOrganization: (organizationId: OrganizationId) => Effect.Effect<KeptTenant | undefined>
    /** Closes a workspace; one that is closed already stays so. */
    readonly closeWorkspace: (
      organizationId: OrganizationId,
      workspaceId: WorkspaceId,
      at: DateTime.Utc
    ) => Effect.Effect<void, never, Transaction>
    /** Closes an organization with all of its workspaces. */
    readonly closeOrganization: (
      organizationId: OrganizationId,
      at: DateTime.Utc
    ) => Effect.Effect<void, never, Transaction>
    /** The first workspace of the organization that is not erased yet, behind `after` in the order of ids. */
    readonly nextWorkspace: (
      organizationId: OrganizationId,
      after?: WorkspaceId | undefined
    ) => Effect.Effect<WorkspaceId | undefined>
    /** Takes the name and the settings from a closed workspace; its zone stays, in which its days and months are counted. */
    readonly eraseWorkspace: (
      organizationId: OrganizationId,
      workspaceId: WorkspaceId,
      at: DateTime.Utc
    ) => Effect.Effect<void, never, Transaction>
    /** Removes a closed workspace of which nothing is counted. */
    readonly removeWorkspace: (
      organizationId: OrganizationId,
      workspaceId: WorkspaceId
    ) => Effect.Effect<void, never, Transaction>
    /** Takes the name from a closed organization. */
    readonly eraseOrganization: (
      organizationId: OrganizationId,
      at: DateTime.Utc
    ) => Effect.Effect<void, never, Transaction>
    /**
     * A person by the id of their login identity, or that of a member who was only invited, held until the transaction ends.
     * Undefined when there is no such person any more.
     */
    readonly holdPerson: (
      organizationId: OrganizationId,
      id: string
    ) => Effect.Effect<ErasedPerson | undefined, never, Transaction>
    /** Ends every session of the person. */
    readonly endSessions: (person: ErasedPerson) => Effect.Effect<void, never, Transaction>
  }
>()("@agent-platform/keys/KeyEraser") {}
