import { DateTime, Effect, FiberMap } from "effect"
import { Run } from "../Run.ts"
import type { Execution } from "./Execution.ts"
import type { InFlight } from "./InFlight.ts"

/** How long a stopping worker waits for recipes that it has interrupted. */
const INTERRUPTED_TIMEOUT = "2 seconds"

/** How long it then waits at most until the runs that have not ended are handed back. */
const HAND_BACK_TIMEOUT = "5 seconds"

const handBack = ({ checkpoint, writes }: Execution) =>
  Effect.flatMap(DateTime.now, (now) =>
    writes.settle({
      becomes: (run) => Run.handedBack(run, now),
      retryReason: "worker_stopping",
      bytes: 0,
      mayHaveCheckpoint: checkpoint.isUsed()
    })
  )

/** Lets runs in flight end for so long, and hands the rest back. */
export const drain = Effect.fnUntraced(function* ({ executions, fibers }: InFlight, drainSeconds: number) {
  yield* Effect.timeoutOption(FiberMap.awaitEmpty(fibers), `${drainSeconds} seconds`)
  const left = [...executions]
  if (left.length === 0) return yield* Effect.logInfo("Every run has ended: none is handed back")
  yield* Effect.logInfo(`Runs that have not ended and are handed back: ${left.length}`)
  // A run whose recipe does not stop is handed back all the same: what it still writes is dropped.
  yield* Effect.timeoutOption(FiberMap.clear(fibers), INTERRUPTED_TIMEOUT)
  let count = 0
  const handedBack = Effect.forEach(left, (run) => Effect.tap(handBack(run), () => Effect.sync(() => count++)), {
    concurrency: "unbounded",
    discard: true
  })
  yield* Effect.timeoutOption(handedBack, HAND_BACK_TIMEOUT)
  // Another worker takes over unwritten runs once their leases end, so nothing waits for them here.
  for (const { writes } of left) writes.abandon()
  yield* Effect.logInfo(`Runs that were handed back: ${count} of ${left.length}`)
})
