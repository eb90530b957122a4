/** The runs of workspaces, handed to all who follow them in this process. */
import type { WorkspaceCaller, WorkspaceId } from "@agent-platform/kernel"
import { makeHub, useCase } from "@agent-platform/toolkit"
import { Effect, Schema, type Scope, Stream } from "effect"
import { type ChangedRun, RunFeed, type RunFeedPosition } from "./ports/RunFeed.ts"
import { isMeant, type RunFilter } from "./RunList.ts"

/** Runs that wait for one follower at most. One that falls further behind is cut off, and comes back for the rest. */
export const FOLLOWED_RUNS_MAX = 1_000

/** Bytes of them at most. */
export const FOLLOWED_RUNS_BYTES_MAX = 1024 * 1024

/** How often the feed is looked at while anybody follows, by one look for all workspaces. */
const LOOK = "500 millis"

/** Runs read at once: each may hold half a megabyte. */
const READ_MAX = 20

/** The feed cannot be gone on from there. */
export class RunPositionUnknown extends Schema.TaggedError<RunPositionUnknown>()("RunPositionUnknown", {}) {}

/** The runs that somebody follows. */
export interface FollowingRuns {
  /** Where they begin: a follower that is cut off before the first of them comes back to it. */
  readonly beginning: RunFeedPosition
  readonly changes: Stream.Stream<ChangedRun>
}

/** The changing parts of a run as JSON, in bytes or a little less. */
const bytesOf = ({ run }: ChangedRun): number =>
  1_000 + JSON.stringify([run.prompt, run.input, run.message, run.interrupt, run.result, run.error]).length

/** Hands a workspace's runs to all its followers in this process. */
export interface RunHub {
  /**
   * The workspace's runs of a filter, each as it is when it has changed, from now on or from where the caller was. Changes of one
   * run that come fast may be told as one, the latest; no run is left out. It has no end of its own; one that is read too slowly ends,
   * and is taken up where it was. Fails with RunPositionUnknown when `from` cannot be gone on from.
   */
  readonly follow: (query: {
    readonly caller: WorkspaceCaller
    readonly filter: RunFilter
    readonly from: RunFeedPosition | undefined
  }) => Effect.Effect<FollowingRuns, RunPositionUnknown>
}

/** A hub over the feed, until the scope closes. */
export const makeRunHub: Effect.Effect<RunHub, never, RunFeed | Scope.Scope> = Effect.gen(function* () {
  const feed = yield* RunFeed
  const hub = yield* makeHub<WorkspaceId, ChangedRun, RunFeedPosition>(
    {
      end: feed.end,
      read: ({ keys, ...range }) =>
        Effect.map(feed.read({ ...range, workspaces: keys }), ({ changes, next }) => ({ items: changes, next }))
    },
    {
      name: "Following runs",
      keyOf: ({ run }) => run.workspaceId,
      bytesOf,
      itemsMax: FOLLOWED_RUNS_MAX,
      bytesMax: FOLLOWED_RUNS_BYTES_MAX,
      readMax: READ_MAX,
      listen: Effect.succeed(Effect.sleep(LOOK))
    }
  )
  return {
    follow: useCase("runs.followRuns")(function* ({ caller: { workspaceId }, filter, from }) {
      const beginning = from ?? (yield* feed.end)
      if (from !== undefined && !(yield* feed.hasReached(from))) return yield* new RunPositionUnknown()
      const changes = Stream.filter(hub.follow(workspaceId, beginning), ({ run }) => isMeant(run, filter))
      return { beginning, changes }
    })
  }
})
