import type { WorkspaceId } from "@agent-platform/kernel"
import { Context, type Effect, Schema } from "effect"
import type { Run } from "../Run.ts"

/** A place among the changes of runs. What it says is for the adapter alone; its text is of 1 to 100 visible characters. */
export const RunFeedPosition = Schema.String.pipe(Schema.brand("RunFeedPosition"))
export type RunFeedPosition = typeof RunFeedPosition.Type

/** A run as it is since its last change, and the place of that change. */
export interface ChangedRun {
  readonly run: Run
  readonly position: RunFeedPosition
}

/**
 * Runs in the order of their last changes: that they were triggered, began, were handed back, are to be cancelled, ended, or that
 * their question was answered or cancelled. A run that changes again moves to the end. A change never comes before a position that
 * was given out earlier, however late its transaction commits. Held by `runFeedContract`.
 */
export class RunFeed extends Context.Service<
  RunFeed,
  {
    /** Where the feed ends now. Everything that is committed later comes after it; what is committed may, too. */
    readonly end: Effect.Effect<RunFeedPosition>
    /** Whether the feed has come to a place that a follower names. False for what no feed has given out. */
    readonly hasReached: (place: RunFeedPosition) => Effect.Effect<boolean>
    /**
     * The first `limit` of these workspaces' runs whose last changes lie between two places, and the place to go on from: behind
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
