/** Callers, and the workspaces that they ask for. */
import type { OrganizationId, WorkspaceId } from "./Ids.ts"

/** The author of an act, as the activity feed shows it. */
export interface Actor {
  readonly type: "user" | "agent" | "system"
  readonly id: string
  readonly label: string
}

/** A caller that acts for an organization. */
export interface OrganizationCaller {
  readonly organizationId: OrganizationId
  readonly actor: Actor
}

/** A caller that acts inside one workspace; every use case scopes its reads and writes by it. */
export interface WorkspaceCaller extends OrganizationCaller {
  readonly workspaceId: WorkspaceId
}
