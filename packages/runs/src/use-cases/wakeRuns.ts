import { atomic, Signals } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { RunQueue } from "../ports/RunQueue.ts"
import { RUNS_READY } from "../signals.ts"

/** Lets runs come due whose `runAt` has passed, and wakes the workers. Any number of workers may do it at once. */
export const wakeRuns = useCase("runs.wakeRuns")(function* () {
  const queue = yield* RunQueue
  const signals = yield* Signals
  if ((yield* queue.wakeScheduled) > 0) yield* signals.raise(RUNS_READY)
}, atomic)
