import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { Context, Effect } from "effect"

/** A workspace in its organization. */
export interface StartedIn {
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
}

/**
 * Those of some workspaces, each once, for which an endpoint asked to be sent `run.started`: no other has the event published. Asked
 * once for all the runs that a worker begins together, inside their transaction. Nobody asked, unless the platform says otherwise.
 */
export const StartSubscribers = Context.Reference<
  (workspaces: ReadonlyArray<StartedIn>) => Effect.Effect<ReadonlySet<WorkspaceId>>
>("@agent-platform/runs/StartSubscribers", { defaultValue: () => () => Effect.succeed(new Set()) })
