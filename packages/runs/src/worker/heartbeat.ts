import { Deferred, Effect, FiberMap, Option, Queue } from "effect"
import { RunQueue } from "../ports/RunQueue.ts"
import { Run } from "../Run.ts"
import type { Execution, Outcome } from "./Execution.ts"
import type { InFlight } from "./InFlight.ts"
import type { RunWorkerOptions } from "./RunWorkerOptions.ts"

const CANCELLED: Outcome = { becomes: (now) => (current) => Run.cancelled(current, now), bytes: 0 }

/** Stops an execution whose claim does not hold any more. */
const stopLost = Effect.fnUntraced(function* ({ claimed }: Execution, { fibers }: InFlight) {
  yield* Effect.logWarning(`The claim on run ${claimed.run.id} was lost, its execution is stopped`)
  // Not waited for: while a recipe does not stop, the leases of all others would end.
  Option.getOrUndefined(FiberMap.getUnsafe(fibers, claimed.claimToken))?.interruptUnsafe()
})

/**
 * One heartbeat, when it is time or asked for: renews the leases of all runs in flight, and stops those that are to be cancelled
 * and those whose claims were lost.
 */
export const heartbeat = Effect.fnUntraced(function* (
  inFlight: InFlight,
  { leaseSeconds, renewSeconds }: RunWorkerOptions
) {
  const queue = yield* RunQueue
  yield* Effect.raceFirst(Effect.sleep(`${renewSeconds} seconds`), Queue.take(inFlight.heartbeatNow))
  const executions = [...inFlight.executions]
  if (executions.length === 0) return
  const tokens = executions.map(({ claimed }) => claimed.claimToken)
  const held = yield* queue.renew(tokens, { leaseSeconds })
  for (const execution of executions) {
    const token = execution.claimed.claimToken
    // Undefined where the claim was lost; null where it holds and nobody has asked for a cancellation.
    const cancelRequestedAt = held.get(token)
    if (cancelRequestedAt === null || execution.settling || !FiberMap.hasUnsafe(inFlight.fibers, token)) continue
    if (cancelRequestedAt === undefined) yield* stopLost(execution, inFlight)
    else yield* Deferred.succeed(execution.stopped, CANCELLED)
  }
})
