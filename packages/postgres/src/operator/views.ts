/** Common parts of what operators list. They see no payloads: nothing that tenants sent, or that agents, models or receivers said. */
import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import type { DateTime } from "effect"

/** Counts of the work ahead go no further than this. */
export const AHEAD_MAX = 10_000

export interface OperatorFilter {
  /** Null for all. */
  readonly organizationId: OrganizationId | null
  readonly workspaceId: WorkspaceId | null
  readonly since: DateTime.Utc
  readonly limit: number
}
