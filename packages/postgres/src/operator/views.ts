/** Places and pages of what operators look through. No payloads: neither what tenants sent nor what agents, models or receivers said. */
import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import type { DateTime } from "effect"

/** How far a count goes that says how many are ahead. */
export const AHEAD_MAX = 10_000

export interface OperatorFilter {
  /** Null for all. */
  readonly organizationId: OrganizationId | null
  readonly workspaceId: WorkspaceId | null
  readonly since: DateTime.Utc
  readonly limit: number
}
