import type { ErasedPerson, Eraser, OrganizationId, Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"

/** The state of a workspace or an organization: in use, being erased, or erased. */
export interface KeptTenant {
  /** Since when it is being erased; null for one in use. */
  readonly closedAt: DateTime.Utc | null
  /** When it was erased; null before that. Nothing but its id is left then. */
  readonly erasedAt: DateTime.Utc | null
}

/**
 * Erases credentials, people and tenants. A tenant is closed first: from that moment on it is not found, and its keys and
 * sessions are unknown. In the end its row stays, without a name, for the sums of spending that refer to it; a workspace without
 * such sums is removed. As an `Eraser` it erases API keys, provider keys, members with their sessions, and their grants. For a
 * person it also erases the login identity, and puts `ERASED_PERSON` in the place of their name as a maker of keys. Tested by
 * `keyEraserContract`.
 */
export class KeyEraser extends Context.Service<
  KeyEraser,
  Eraser & {
    readonly findWorkspace: (
      organizationId: OrganizationId,
      workspaceId: WorkspaceId
    ) => Effect.Effect<KeptTenant | undefined>
    readonly findOrganization: (organizationId: OrganizationId) => Effect.Effect<KeptTenant | undefined>
    /** Closes a workspace; one that is closed already stays as it is. */
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
    /** The first workspace of the organization that is not erased yet, after `after` in the order of ids. */
    readonly nextWorkspace: (
      organizationId: OrganizationId,
      after?: WorkspaceId | undefined
    ) => Effect.Effect<WorkspaceId | undefined>
    /** Removes the name and the settings of a closed workspace. Its zone stays, since its days and months are counted in it. */
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
    /** Removes the name of a closed organization. */
    readonly eraseOrganization: (
      organizationId: OrganizationId,
      at: DateTime.Utc
    ) => Effect.Effect<void, never, Transaction>
    /**
     * The person with this id, which is that of a login identity or of a member who was only invited. The person is locked until
     * the transaction ends. Undefined when there is no such person any more.
     */
    readonly holdPerson: (
      organizationId: OrganizationId,
      id: string
    ) => Effect.Effect<ErasedPerson | undefined, never, Transaction>
    /** Ends every session of the person. */
    readonly endSessions: (person: ErasedPerson) => Effect.Effect<void, never, Transaction>
  }
>()("@agent-platform/keys/KeyEraser") {}
