/** The limit of a workspace's queue. It is counted under a lock only near the limit, so that others need not wait. */
import type { WorkspaceId } from "@agent-platform/kernel"
import { Clock, Context, Effect, Layer } from "effect"
import { RunAcceptance } from "../ports/RunAcceptance.ts"
import { QueueFull } from "../Run.ts"

/** How many runs of one workspace may be queued. */
export const QUEUED_RUNS_MAX = 10_000

/**
 * From this many queued runs on, acceptances count the queue one after another, under a lock. The 2,000 places left are more
 * than all runs that can be in acceptance at one moment without having been counted.
 */
const NEAR = QUEUED_RUNS_MAX - 2_000

/**
 * How long a queue counts as far from its limit without another look, in milliseconds: too short for its last
 * 2,000 places to fill up.
 */
const REMEMBERED_MILLIS = 50

/** Most workspaces that are remembered. */
const WORKSPACES_MAX = 10_000

/**
 * Locks the queue of a workspace until the transaction ends, so that runs are added to it one by one. Fails with QueueFull when
 * it has no place left; the `leaving` queued runs, which are about to be cancelled, do not count.
 */
export const admitToQueue = Effect.fnUntraced(function* (workspaceId: WorkspaceId, leaving: number) {
  const acceptance = yield* RunAcceptance
  yield* acceptance.holdQueue(workspaceId)
  const queued = yield* acceptance.countQueued(workspaceId, QUEUED_RUNS_MAX + leaving)
  if (queued - leaving >= QUEUED_RUNS_MAX) return yield* new QueueFull({ limit: QUEUED_RUNS_MAX })
})

/** How near queues are to their limit, as far as this process knows. */
export class QueueLimit extends Context.Service<
  QueueLimit,
  {
    /** Whether the queue is so near to its limit, as counted now or a moment ago, that `admitToQueue` must be asked. */
    readonly isNear: (workspaceId: WorkspaceId) => Effect.Effect<boolean>
  }
>()("@agent-platform/runs/QueueLimit") {
  static readonly layer: Layer.Layer<QueueLimit, never, RunAcceptance> = Layer.effect(
    QueueLimit,
    Effect.gen(function* () {
      const acceptance = yield* RunAcceptance
      const farUntil = new Map<WorkspaceId, number>()
      return {
        isNear: Effect.fnUntraced(function* (workspaceId) {
          // Monotonic, because a clock that is set back would keep an entry for too long.
          const now = Number(yield* Clock.monotonicTimeNanos) / 1e6
          if ((farUntil.get(workspaceId) ?? 0) > now) return false
          const isNear = (yield* acceptance.countQueued(workspaceId, NEAR)) >= NEAR
          if (farUntil.size >= WORKSPACES_MAX) farUntil.clear()
          if (!isNear) farUntil.set(workspaceId, now + REMEMBERED_MILLIS)
          return isNear
        })
      }
    })
  )
}
