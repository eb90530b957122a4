/** Whether a workspace's queue has plenty of room, so that not every run that joins it counts the others. */
import type { WorkspaceId } from "@agent-platform/kernel"
import { Clock, Context, Effect, Layer } from "effect"
import { RunStore } from "./ports/RunStore.ts"

/** How many runs of one workspace may be queued. */
export const QUEUED_RUNS_MAX = 10_000

/**
 * This near to the limit everybody counts, and those who add go one by one. A process can have 64 runs under way that nobody
 * counts yet, so that the limit holds for 31 processes over one database.
 */
const QUEUE_NEARLY_FULL = QUEUED_RUNS_MAX - 2_000

/**
 * How long plenty of room is remembered, in milliseconds. Never do so many join one queue in this time, over all processes,
 * that it is full before somebody counts again.
 */
const REMEMBERED_MILLIS = 50

/** Most workspaces that are remembered. */
const WORKSPACES_MAX = 10_000

/** What this process remembers of the lengths of queues. */
export class QueueRoom extends Context.Service<
  QueueRoom,
  {
    /** Whether the queue is far from full, as counted now or a moment ago. */
    readonly isWide: (workspaceId: WorkspaceId) => Effect.Effect<boolean>
  }
>()("@agent-platform/runs/QueueRoom") {
  static readonly layer: Layer.Layer<QueueRoom, never, RunStore> = Layer.effect(
    QueueRoom,
    Effect.gen(function* () {
      const runs = yield* RunStore
      const wideUntil = new Map<WorkspaceId, number>()
      return {
        isWide: Effect.fnUntraced(function* (workspaceId) {
          // A clock that is set back would have it remembered for as long.
          const now = Number(yield* Clock.monotonicTimeNanos) / 1e6
          if ((wideUntil.get(workspaceId) ?? 0) > now) return true
          const isWide = (yield* runs.countQueued(workspaceId, QUEUE_NEARLY_FULL)) < QUEUE_NEARLY_FULL
          if (wideUntil.size >= WORKSPACES_MAX) wideUntil.clear()
          if (isWide) wideUntil.set(workspaceId, now + REMEMBERED_MILLIS)
          return isWide
        })
      }
    })
  )
}
