import { JobQueue, publish, Signals } from "@agent-platform/kernel"
import { Effect } from "effect"
import { outcomeEvent } from "../events.ts"
import { executeRun, runChanged } from "../jobs.ts"
import { RunLog, type RunLogEntry } from "../ports/RunLog.ts"
import { RunStore, type SettledRun } from "../ports/RunStore.ts"
import { isTerminal, type Run } from "../Run.ts"

/** A run as it has become, and what its log still lacks. */
export interface Settlement extends SettledRun {
  readonly events: RunLogEntry["events"]
}

const enqueue = (run: Run) =>
  JobQueue.use((queue) =>
    queue.enqueue(executeRun, { run_id: run.id }, { runAt: run.runAt ?? undefined, priority: run.priority })
  )

/**
 * Writes what runs have become: the end of their logs, the runs themselves, the events that report the outcome, and
 * the jobs of whoever goes next, a run that is queued again or the next one of the session. All of it must be one
 * transaction, which is the caller's. A lost claim writes nothing. Spec: Run, States and transitions.
 */
export const settleRuns = Effect.fn("runs.settleRuns")(function* (settlements: ReadonlyArray<Settlement>) {
  const log = yield* RunLog
  const runs = yield* RunStore
  const signals = yield* Signals
  yield* log.append(settlements.map(({ run, claimToken, events }) => ({ runId: run.id, claimToken, events })))
  const written = yield* runs.settle(settlements.map(({ run, claimToken }) => ({ run, claimToken })))
  for (const { run, next } of written) {
    if (isTerminal(run)) {
      const { kind, data } = outcomeEvent(run)
      yield* publish(kind, { organizationId: run.organizationId, workspaceId: run.workspaceId }, data)
    } else {
      yield* enqueue(run)
    }
    if (next !== undefined && next.id !== run.id) yield* enqueue(next)
    yield* signals.raise(runChanged(run.id))
  }
  return written.map(({ run }) => run)
})
