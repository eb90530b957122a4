import type { OrganizationId, Page, PageRequest, Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { KeptWorkspace, Organization, Workspace } from "../Workspace.ts"

/** So many erased workspaces take the place of one in the quota: nothing but their sums is left, yet readings go through them. */
export const ERASED_AS_ONE = 10

/**
 * Keeps organizations and their workspaces. Those that are being erased, and those that were, are not found by any method but
 * `findKeptWorkspace` and `listKeptWorkspaces`. Held by `tenancyStoreContract`.
 */
export class TenancyStore extends Context.Service<
  TenancyStore,
  {
    readonly insertOrganization: (organization: Organization) => Effect.Effect<void, never, Transaction>
    /**
     * How many workspaces the organization has, counted no further than `max`: of those that are being erased or were, and are kept
     * for their sums, `ERASED_AS_ONE` as one. Until the transaction ends nobody else counts them.
     */
    readonly holdWorkspaces: (organizationId: OrganizationId, max: number) => Effect.Effect<number, never, Transaction>
    readonly insertWorkspace: (workspace: Workspace) => Effect.Effect<void, never, Transaction>
    /** Gives the organization another name, and answers it as it is then; undefined when there is none. */
    readonly renameOrganization: (
      id: OrganizationId,
      name: string
    ) => Effect.Effect<Organization | undefined, never, Transaction>
    /** Writes all of the workspace but its ids and the time of its creation. */
    readonly updateWorkspace: (workspace: Workspace) => Effect.Effect<void, never, Transaction>
    /** Whether the store can reckon in a time zone of this name. Names differ from runtime to runtime at the edges. */
    readonly knowsTimezone: (timezone: string) => Effect.Effect<boolean>
    readonly findOrganization: (id: OrganizationId) => Effect.Effect<Organization | undefined>
    /** The first `max` organizations of this name, oldest first. Names are not unique. */
    readonly organizationsNamed: (name: string, max: number) => Effect.Effect<ReadonlyArray<Organization>>
    /** The same of the organization's workspaces. */
    readonly workspacesNamed: (
      organizationId: OrganizationId,
      name: string,
      max: number
    ) => Effect.Effect<ReadonlyArray<Workspace>>
    /** Every organization, newest first, for the operator. */
    readonly listOrganizations: (page: PageRequest) => Effect.Effect<Page<Organization>>
    /** The organization's workspaces, newest first; of these ids alone where some are given. */
    readonly listWorkspaces: (
      organizationId: OrganizationId,
      page: PageRequest,
      among?: ReadonlyArray<WorkspaceId>
    ) => Effect.Effect<Page<Workspace>>
    /** The workspace, if it is one of this organization's. */
    readonly findWorkspace: (
      organizationId: OrganizationId,
      workspaceId: WorkspaceId
    ) => Effect.Effect<Workspace | undefined>
    /** As `findWorkspace`, one that is being erased or was among them: what it has spent is still counted. */
    readonly findKeptWorkspace: (
      organizationId: OrganizationId,
      workspaceId: WorkspaceId
    ) => Effect.Effect<KeptWorkspace | undefined>
    /** As `listWorkspaces`, with those that are being erased, and those that were at `since` or later: they may have spent since. */
    readonly listKeptWorkspaces: (
      organizationId: OrganizationId,
      since: DateTime.Utc,
      page: PageRequest
    ) => Effect.Effect<Page<Workspace>>
    /** Up to `max` workspaces of every organization that have a retention of their own, with ids behind `after`, in their order. */
    readonly retained: (after: WorkspaceId | undefined, max: number) => Effect.Effect<ReadonlyArray<Workspace>>
    /** As `findWorkspace`; until the transaction ends, nobody else holds the workspace. */
    readonly holdWorkspace: (
      organizationId: OrganizationId,
      workspaceId: WorkspaceId
    ) => Effect.Effect<Workspace | undefined, never, Transaction>
    /** Those of the ids that are workspaces of this organization. */
    readonly knownWorkspaces: (
      organizationId: OrganizationId,
      ids: ReadonlyArray<WorkspaceId>
    ) => Effect.Effect<ReadonlySet<WorkspaceId>>
  }
>()("@agent-platform/keys/TenancyStore") {}
