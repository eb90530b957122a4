/** The runs of workspaces, handed to all who follow them in this process. */
import type { WorkspaceCaller, WorkspaceId } from "@agent-platform/kernel"
import { makeHub, useCase } from "@agent-platform/toolkit"
import { Effect, Schema, type Scope, Stream } from "effect"
import { type ChangedRun, RunFeed, type RunFeedPosition } from "./ports/RunFeed.ts"
import { matchesFilter, type RunFilter } from "./RunList.ts"

/** Most runs that wait for one follower. A follower that falls further behind is cut off, and follows again from where it was. */
export const FOLLOWED_RUNS_MAX = 1_000

/** Most bytes of the runs that wait for one follower. */
export const FOLLOWED_RUNS_BYTES_MAX = 1024 * 1024

/** How often the feed is read while anybody follows; one reading serves all workspaces. */
const READ_INTERVAL = "500 millis"

/** Most runs that are read at once: each may hold half a megabyte. */
const READ_MAX = 20

/** The feed does not know this position, so nobody can go on from it. */
export class RunPositionUnknown extends Schema.TaggedError<RunPositionUnknown>()("RunPositionUnknown", {}) {}

/** The changes of a workspace's runs, for one follower. */
export interface FollowingRuns {
  /** The position before the first change, from which a follower goes on that is cut off before it received one. */
  readonly beginning: RunFeedPosition
  readonly changes: Stream.Stream<ChangedRun>
}

/** Roughly the bytes of a run: the length of its large fields as JSON, and 1,000 for the others. */
const bytesOf = ({ run }: ChangedRun): number =>
  1_000 + JSON.stringify([run.prompt, run.input, run.message, run.interrupt, run.result, run.error]).length

/** Hands a workspace's runs to all its followers in this process. */
export interface RunHub {
  /**
   * The workspace's runs that match the filter, each as it is after a change, from now on or from the position `from`. Several quick
   * changes of one run may arrive as one, the latest; no run is left out. The stream ends only where it is read too slowly, and can be
   * followed again from the last position received. Fails with RunPositionUnknown when the feed does not know `from`.
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
      // No signal tells that any run of a workspace has changed, so the feed is read by the clock.
      listen: Effect.succeed(Effect.sleep(READ_INTERVAL))
    }
  )
  return {
    follow: useCase("runs.followRuns")(function* ({ caller: { workspaceId }, filter, from }) {
      const beginning = from ?? (yield* feed.end)
      if (from !== undefined && !(yield* feed.hasReached(from))) return yield* new RunPositionUnknown()
      const changes = Stream.filter(hub.follow(workspaceId, beginning), ({ run }) => matchesFilter(run, filter))
      return { beginning, changes }
    })
  }
})
