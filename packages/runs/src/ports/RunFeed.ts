import type { WorkspaceId } from "@agent-platform/kernel"
import { Context, type Effect, Schema } from "effect"
import type { Run } from "../Run.ts"

/** A place among the changes of runs. Only the adapter understands it; it is a text of 1 to 100 visible characters. */
export const RunFeedPosition = Schema.String.pipe(Schema.brand("RunFeedPosition"))
export type RunFeedPosition = typeof RunFeedPosition.Type

/** A run after its last change, and the place of that change. */
export interface ChangedRun {
  readonly run: Run
  readonly position: RunFeedPosition
}

/**
 * Runs in the order of their last changes. A run changes when it is triggered, begins, is handed back, is to be cancelled or ends, and
 * when its question is answered or cancelled; then it moves to the end. A change never comes before a position that was given out
 * earlier, however late its transaction commits. Tested by `runFeedContract`.
 */
export class RunFeed extends Context.Service<
  RunFeed,
  {
    /** The end of the feed now. All changes that are committed later come after it; some that were committed before may, too. */
    readonly end: Effect.Effect<RunFeedPosition>
    /** Whether the feed has come as far as a place that a follower names. False for a text that no feed has given out. */
    readonly hasReached: (position: RunFeedPosition) => Effect.Effect<boolean>
    /**
     * The first `limit` of these workspaces' runs whose last changes lie between two places, and the place to go on from: after
     * the last of them, or `upTo` when there are no more. `upTo` was given out by `end`.
     */
    readonly read: (range: {
      readonly workspaces: ReadonlyArray<WorkspaceId>
      readonly after: RunFeedPosition
      readonly upTo: RunFeedPosition
      readonly limit: number
    }) => Effect.Effect<{ readonly changes: ReadonlyArray<ChangedRun>; readonly next: RunFeedPosition }>
  }
>()("@agent-platform/runs/RunFeed") {}
