import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { Context, Effect } from "effect"

/** A workspace in its organization. */
export interface StartedIn {
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
}

/**
 * Answers which of these workspaces have an endpoint subscribed to `run.started`; the event is published for no other. Called once for
 * all runs that a worker begins together, inside their transaction, with each workspace named once. By default it answers none.
 */
export const StartSubscribers = Context.Reference<
  (workspaces: ReadonlyArray<StartedIn>) => Effect.Effect<ReadonlySet<WorkspaceId>>
>("@agent-platform/runs/StartSubscribers", { defaultValue: () => () => Effect.succeed(new Set()) })
