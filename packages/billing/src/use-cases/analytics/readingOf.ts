/** The workspaces that a reading is about. */
import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { Effect } from "effect"
import { type ReadWorkspace, WorkspaceCalendars } from "../../ports/WorkspaceCalendars.ts"

/** A reading of one workspace, or of all of an organization together where none is named. */
export interface ReadingOf {
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId | undefined
}

export interface ReadWorkspaces {
  readonly workspaces: ReadonlyArray<ReadWorkspace>
  /** The one workspace, whose time zone the reading follows; undefined for an organization, which is read in UTC. */
  readonly only: ReadWorkspace | undefined
}

/** The workspaces of a reading. Dies where the one that is named does not exist, since its caller was authenticated in it. */
export const workspacesOf = Effect.fnUntraced(function* ({ organizationId, workspaceId }: ReadingOf) {
  const calendars = yield* WorkspaceCalendars
  if (workspaceId === undefined) {
    return { workspaces: yield* calendars.all(organizationId), only: undefined } satisfies ReadWorkspaces
  }
  const only = yield* calendars.read(organizationId, workspaceId)
  if (only === undefined) return yield* Effect.die(new Error("A caller has no workspace"))
  return { workspaces: [only], only } satisfies ReadWorkspaces
})

/** The ids of these. */
export const idsOf = (workspaces: ReadonlyArray<ReadWorkspace>): ReadonlyArray<WorkspaceId> =>
  workspaces.map(({ workspaceId }) => workspaceId)
