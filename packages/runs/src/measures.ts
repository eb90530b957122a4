/** The measures of runs for operators. */
import { counter, gauge, histogram, measure } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { isTerminal, type Run } from "./Run.ts"

/** Counted where the outcome is written: a transaction that is repeated after a failed commit counts twice. */
export const runsEnded = counter(
  "agent_platform_runs_ended_total",
  "Runs that ended, by outcome (succeeded, paused, failed, cancelled) and error code (none unless failed).",
  ["outcome", "error_code"]
)

export const runDuration = histogram(
  "agent_platform_run_duration_seconds",
  "From the first beginning of a run's execution to its end. Runs that never began are not in it.",
  ["outcome"]
)

export const runWait = histogram(
  "agent_platform_run_wait_seconds",
  "From when a run was triggered, or from its run_at, to the beginning of its execution."
)

export const runsExecuting = gauge("agent_platform_runs_executing", "Runs that this worker executes now.")

/** All of them, for the documentation. */
export const RUN_MEASURES = [runsEnded, runDuration, runWait, runsExecuting]

const secondsBetween = (from: DateTime.Utc, to: DateTime.Utc): number =>
  Math.max(0, DateTime.toEpochMillis(to) - DateTime.toEpochMillis(from)) / 1000

/** Counts a run that has ended; any other is ignored. */
export const measureEnd = (run: Run): Effect.Effect<void> => {
  if (!isTerminal(run)) return Effect.void
  const outcome = run.paused ? "paused" : run.status
  const counted = measure(runsEnded, { outcome, error_code: run.errorCode ?? "none" }, 1)
  return run.startedAt === null || run.finishedAt === null
    ? counted
    : Effect.andThen(counted, measure(runDuration, { outcome }, secondsBetween(run.startedAt, run.finishedAt)))
}

/** Counts the beginning of a run's first attempt. */
export const measureBeginning = ({ attempt, createdAt, runAt, startedAt }: Run): Effect.Effect<void> =>
  attempt === 1 && startedAt !== null
    ? measure(runWait, {}, secondsBetween(DateTime.max(createdAt, runAt ?? createdAt), startedAt))
    : Effect.void
