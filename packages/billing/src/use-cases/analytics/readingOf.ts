/** Whose usage a reading is about. */
import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { type DateTime, Effect } from "effect"
import { type ReadWorkspace, WorkspaceCalendars } from "../../ports/WorkspaceCalendars.ts"

/** One workspace; or all of an organization together, where none is named. */
export interface ReadingOf {
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId | undefined
}

/** The workspaces of a reading, and the zone whose full hours may bound it: that of the workspace, or UTC for several. */
export interface ReadWorkspaces {
  readonly workspaces: ReadonlyArray<ReadWorkspace>
  /** Undefined for an organization, whose workspaces may each have another. */
  readonly only: ReadWorkspace | undefined
}

/** The workspaces that are asked about, for a time that begins at `since`. It dies without the one that is named, since no caller is in it. */
export const workspacesOf = Effect.fnUntraced(function* (
  { organizationId, workspaceId }: ReadingOf,
  since: DateTime.Utc
) {
  const calendars = yield* WorkspaceCalendars
  if (workspaceId === undefined) {
    return { workspaces: yield* calendars.all(organizationId, since), only: undefined } satisfies ReadWorkspaces
  }
  const only = yield* calendars.read(organizationId, workspaceId)
  if (only === undefined) return yield* Effect.die(new Error("A caller has no workspace"))
  return { workspaces: [only], only } satisfies ReadWorkspaces
})

/** The ids of these. */
export const idsOf = (workspaces: ReadonlyArray<ReadWorkspace>): ReadonlyArray<WorkspaceId> =>
  workspaces.map(({ workspaceId }) => workspaceId)
