import { notify, publishAll, recordActivity, Signals } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime } from "effect"
import type { Agent } from "../Agent.ts"
import { endActivity } from "../activity.ts"
import { outcomeEvent } from "../events.ts"
import { measureEnd } from "../measures.ts"
import { noticeOf } from "../notices.ts"
import { CheckpointStore } from "../ports/CheckpointStore.ts"
import { type HeldRun, RunSettlement } from "../ports/RunSettlement.ts"
import { isTerminal, type Run } from "../Run.ts"
import { finalEvent, type NewRunEvent } from "../RunEvent.ts"
import { RUNS_READY, runChanged, runEnded } from "../signals.ts"

/** The change of a held run, to its end or back to the queue. */
export interface Settlement extends HeldRun {
  /** The run's next state by its current one, because its cost or a cancellation may be newer than `run`. */
  readonly becomes: (run: Run) => Run
  /** The events that its log still lacks, without the last one about its end or its return to the queue. */
  readonly events: ReadonlyArray<NewRunEvent>
  /** The reason in its log, where `becomes` queues it again; `worker_lost` unless given. */
  readonly retryReason?: "worker_lost" | "worker_stopping" | undefined
  /** False only where it is known that the run has no checkpoint, so that its end has none to remove. */
  readonly mayHaveCheckpoint?: boolean | undefined
  /** The agent, where it came to this outcome itself; undefined where the platform ended the run. */
  readonly agent?: Agent | undefined
  /** How many tools it called in this attempt. */
  readonly toolCalls?: number | undefined
}

/** The runs whose checkpoints the end of a run can make needless: its own, and that of the question it answers. */
const spentBy = ({ id, resumesRunId }: Run) => (resumesRunId === null ? [id] : [id, resumesRunId])

const lastEvent = (before: Run, after: Run, reason: string, now: DateTime.Utc): NewRunEvent =>
  isTerminal(after)
    ? finalEvent(after)
    : { type: "run.retrying", createdAt: now, attempt: before.attempt, data: { reason } }

/**
 * Settles runs: writes the end of their logs, the runs themselves, the events that report the outcome, the notices of it and
 * the entries in the activity feed.
 * The next run of each session comes due, and checkpoints that nobody needs any more are removed. All of it happens in the
 * caller's transaction. A lost claim writes nothing. Returns the runs that were written. Spec: Run.
 */
export const settleRuns = useCase("runs.settleRuns")(function* (settlements: ReadonlyArray<Settlement>) {
  if (settlements.length === 0) return []
  const settlement = yield* RunSettlement
  const signals = yield* Signals
  const now = yield* DateTime.now
  const held = yield* settlement.hold(settlements.map(({ claimToken, run }) => ({ runId: run.id, claimToken })))
  const settled = settlements.flatMap(({ becomes, claimToken, events, retryReason = "worker_lost", run }) => {
    const facts = held.get(run.id)
    if (facts === undefined) return []
    const after = becomes({ ...run, ...facts })
    return [{ claimToken, run: after, events: [...events, lastEvent(run, after, retryReason, now)] }]
  })
  if (settled.length === 0) return []
  const { hasDue, written } = yield* settlement.settle(settled)
  const changed = settled.map(({ run }) => run).filter((run) => written.has(run.id))
  const ended = changed.filter(isTerminal)
  const byRun = new Map(settlements.map((one) => [one.run.id, one]))
  const spent = ended.filter(({ id }) => byRun.get(id)?.mayHaveCheckpoint !== false).flatMap(spentBy)
  if (spent.length > 0) yield* CheckpointStore.use((checkpoints) => checkpoints.removeSpent(spent))
  yield* publishAll(
    ended.map((run) => ({
      ...outcomeEvent(run),
      about: { organizationId: run.organizationId, workspaceId: run.workspaceId },
      trace: run.trace
    }))
  )
  yield* notify(...ended.flatMap((run) => noticeOf(run) ?? []))
  yield* recordActivity(
    ...ended.flatMap((run) => {
      const { agent, toolCalls = 0 } = byRun.get(run.id) ?? {}
      return endActivity(run, agent, toolCalls) ?? []
    })
  )
  for (const run of changed) yield* signals.raise(runChanged(run.id))
  for (const run of ended) yield* signals.raise(runEnded(run.id))
  if (hasDue) yield* signals.raise(RUNS_READY)
  for (const run of ended) yield* measureEnd(run)
  return changed
})
