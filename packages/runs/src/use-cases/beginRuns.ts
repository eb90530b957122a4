import { atomic, publishAll, Signals } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { runStarted, startData } from "../events.ts"
import { type ClaimRequest, RunQueue } from "../ports/RunQueue.ts"
import type { Run } from "../Run.ts"
import { StartSubscribers } from "../StartSubscribers.ts"
import { runChanged } from "../signals.ts"

/** Publishes that these runs began, where an endpoint of the workspace subscribes to it. */
const publishStarts = Effect.fnUntraced(function* (runs: ReadonlyArray<Run>) {
  if (runs.length === 0) return
  const subscribers = yield* StartSubscribers
  const subscribed = yield* subscribers([...new Map(runs.map((run) => [run.workspaceId, run])).values()])
  if (subscribed.size === 0) return
  yield* publishAll(
    runs
      .filter(({ workspaceId }) => subscribed.has(workspaceId))
      .map((run) => ({
        kind: runStarted,
        about: { organizationId: run.organizationId, workspaceId: run.workspaceId },
        data: startData(run),
        trace: run.trace
      }))
  )
})

/**
 * Claims runs that are due, logs the beginning of their attempts and publishes `run.started` where it is subscribed to, in one
 * transaction.
 */
export const beginRuns = useCase("runs.beginRuns")(function* (request: ClaimRequest) {
  const queue = yield* RunQueue
  const signals = yield* Signals
  const claims = yield* queue.claim({ ...request, loggedAt: yield* DateTime.now })
  const runs = claims.claimed.map(({ run }) => run)
  yield* publishStarts(runs)
  for (const { id } of runs) yield* signals.raise(runChanged(id))
  return claims
}, atomic)
