import type { OrganizationId, Page, PageRequest, Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { KeptWorkspace, Organization, Workspace } from "../Workspace.ts"

/** So many erased workspaces count as one in the quota: only their sums of spending are left, but readings still go through them. */
export const ERASED_AS_ONE = 10

/**
 * Keeps organizations and their workspaces. Only `findKeptWorkspace` and `listKeptWorkspaces` find those that are being erased or
 * were erased. Tested by `tenancyStoreContract`.
 */
export class TenancyStore extends Context.Service<
  TenancyStore,
  {
    readonly insertOrganization: (organization: Organization) => Effect.Effect<void, never, Transaction>
    /**
     * How many workspaces the organization has, counted no further than `max`. Those that are being erased, or were erased and are
     * kept for their sums, count as one for every `ERASED_AS_ONE` of them. Until the transaction ends nobody else counts.
     */
    readonly holdWorkspaces: (organizationId: OrganizationId, max: number) => Effect.Effect<number, never, Transaction>
    readonly insertWorkspace: (workspace: Workspace) => Effect.Effect<void, never, Transaction>
    /** Gives the organization another name and returns the renamed organization; undefined when there is none. */
    readonly renameOrganization: (
      id: OrganizationId,
      name: string
    ) => Effect.Effect<Organization | undefined, never, Transaction>
    /** Writes all of the workspace except its ids and the time of its creation. */
    readonly updateWorkspace: (workspace: Workspace) => Effect.Effect<void, never, Transaction>
    /** Whether the store can reckon in a time zone of this name. A few names are known to some runtimes only. */
    readonly knowsTimezone: (timezone: string) => Effect.Effect<boolean>
    readonly findOrganization: (id: OrganizationId) => Effect.Effect<Organization | undefined>
    /** The first `max` organizations of this name, oldest first. Names are not unique. */
    readonly organizationsNamed: (name: string, max: number) => Effect.Effect<ReadonlyArray<Organization>>
    /** The first `max` workspaces of this name in the organization, oldest first. Names are not unique. */
    readonly workspacesNamed: (
      organizationId: OrganizationId,
      name: string,
      max: number
    ) => Effect.Effect<ReadonlyArray<Workspace>>
    /** Every organization, newest first, for the operator. */
    readonly listOrganizations: (page: PageRequest) => Effect.Effect<Page<Organization>>
    /** The organization's workspaces, newest first; only those with ids in `among` where it is given. */
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
    /** As `findWorkspace`, but also one that is being erased or was erased, since its spending still counts. */
    readonly findKeptWorkspace: (
      organizationId: OrganizationId,
      workspaceId: WorkspaceId
    ) => Effect.Effect<KeptWorkspace | undefined>
    /** As `listWorkspaces`, but also those that are being erased, or were erased at `since` or later, since their spending still counts. */
    readonly listKeptWorkspaces: (
      organizationId: OrganizationId,
      since: DateTime.Utc,
      page: PageRequest
    ) => Effect.Effect<Page<Workspace>>
    /** Up to `max` workspaces of every organization that have a retention of their own, with ids after `after`, ordered by id. */
    readonly withRetention: (after: WorkspaceId | undefined, max: number) => Effect.Effect<ReadonlyArray<Workspace>>
    /** As `findWorkspace`. Until the transaction ends nobody else holds the workspace. */
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
