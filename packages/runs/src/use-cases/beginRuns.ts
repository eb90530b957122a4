import { atomic, Signals } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime } from "effect"
import { type ClaimRequest, RunQueue } from "../ports/RunQueue.ts"
import { runChanged } from "../signals.ts"

/** Claims runs that are due and begins their logs' next attempt, in one transaction. */
export const beginRuns = useCase("runs.beginRuns")(function* (request: ClaimRequest) {
  const queue = yield* RunQueue
  const signals = yield* Signals
  const claims = yield* queue.claim({ ...request, loggedAt: yield* DateTime.now })
  for (const { run } of claims.claimed) yield* signals.raise(runChanged(run.id))
  return claims
}, atomic)
