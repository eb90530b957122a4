import { atomic, Signals } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime } from "effect"
import type { HeldRun } from "../ports/RunSettlement.ts"
import { Run } from "../Run.ts"
import { runCancelRequested } from "../signals.ts"
import { settleRuns } from "./settleRuns.ts"

/**
 * Cancels unfinished runs of any sessions at once: queued ones never begin, and one that executes is fenced off, so that
 * nothing more is written in its name. A run that was claimed or has ended meanwhile is left. Returns how many were cancelled.
 */
export const endRuns = useCase("runs.endRuns")(function* (held: ReadonlyArray<HeldRun>) {
  const signals = yield* Signals
  const now = yield* DateTime.now
  const ended = yield* settleRuns(
    held.map((one) => ({
      ...one,
      becomes: (run) => Run.cancelled({ ...run, cancelRequestedAt: run.cancelRequestedAt ?? now }, now),
      events: []
    }))
  )
  for (const run of ended) yield* signals.raise(runCancelRequested(run.id))
  return ended.length
}, atomic)
