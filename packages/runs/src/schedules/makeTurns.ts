import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import type { WorkspacePlace } from "../ports/ScheduleStore.ts"

/** Workspaces that wait for a turn, by organizations in turn, and in each by workspaces in turn. */
export interface Turns {
  /** Adds a workspace at the end, unless it waits already. */
  readonly add: (place: WorkspacePlace) => void
  /** Takes the workspace whose turn it is; undefined when none waits. */
  readonly take: () => WorkspacePlace | undefined
}

/** No workspace waits yet. */
export const makeTurns = (): Turns => {
  // Both are in the order of their turns: maps and sets keep the order in which something was added.
  const waiting = new Map<OrganizationId, Set<WorkspaceId>>()
  return {
    add: ({ organizationId, workspaceId }) => {
      const workspaces = waiting.get(organizationId)
      if (workspaces === undefined) waiting.set(organizationId, new Set([workspaceId]))
      else workspaces.add(workspaceId)
    },
    take: () => {
      for (const [organizationId, workspaces] of waiting) {
        waiting.delete(organizationId)
        for (const workspaceId of workspaces) {
          workspaces.delete(workspaceId)
          if (workspaces.size > 0) waiting.set(organizationId, workspaces)
          return { organizationId, workspaceId }
        }
      }
      return undefined
    }
  }
}
