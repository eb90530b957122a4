import { Signals, UnitOfWork } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { type ClaimRequest, RunQueue } from "../ports/RunQueue.ts"
import { runChanged } from "../signals.ts"

const begin = Effect.fnUntraced(function* (request: ClaimRequest) {
  const queue = yield* RunQueue
  const signals = yield* Signals
  const claims = yield* queue.claim({ ...request, loggedAt: yield* DateTime.now })
  yield* Effect.forEach(claims.claimed, ({ run }) => signals.raise(runChanged(run.id)), { discard: true })
  return claims
})

/** Claims runs that are due and begins their logs' next attempt, in one transaction. */
export const beginRuns = useCase("runs.beginRuns")(function* (request: ClaimRequest) {
  const unit = yield* UnitOfWork
  return yield* unit.atomic(begin(request))
})
