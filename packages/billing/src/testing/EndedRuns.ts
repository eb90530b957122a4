import type { Transaction } from "@agent-platform/kernel"
import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { bucketOf } from "@agent-platform/toolkit"
import { Context, DateTime, Effect, Layer } from "effect"
import { RunSummaries, type RunTimes } from "../ports/RunSummaries.ts"
import { NO_OUTCOMES, type OutcomeCounts } from "../UsageCells.ts"
import { type BilledRun, BilledRuns } from "./BilledRuns.ts"

const QUARTER_HOUR_MILLIS = 900_000

/** The outcome of a run, and the time of its end. */
export interface RunEnd {
  readonly outcome: keyof OutcomeCounts
  readonly finishedAt: DateTime.Utc
  /** How long it took, in milliseconds. */
  readonly latencyMillis: number
}

/** Ends the runs that a suite about roll-ups counts. */
export class EndedRuns extends Context.Service<
  EndedRuns,
  {
    /** Ends an existing run that has not ended yet. */
    readonly end: (run: BilledRun, end: RunEnd) => Effect.Effect<void, never, Transaction>
  }
>()("@agent-platform/billing/testing/EndedRuns") {
  /**
   * Runs in memory that have only ids, labels and ends, and summaries of them: `countEnded` counts places in their table, and `find` never
   * shows an end, which no suite asks for.
   */
  static readonly layerMemory: Layer.Layer<BilledRuns | EndedRuns | RunSummaries, never, MemoryDatabase> = Layer.unwrap(
    Effect.map(MemoryDatabase, (database) => {
      const runs = new Map<string, BilledRun & RunTimes>()
      // Readings by labels look for the labels of runs in this table.
      const labelled = database.table<{ readonly run: BilledRun }>("run")
      const table = database.table<BilledRun & RunEnd>("suite_ended_run")
      return Layer.mergeAll(
        Layer.succeed(BilledRuns, {
          make: (run) =>
            Effect.gen(function* () {
              runs.set(run.runId, { ...run, createdAt: yield* DateTime.now, finishedAt: null })
              yield* database.atomic(labelled.put(run.runId, { run }))
            })
        }),
        Layer.succeed(EndedRuns, { end: (run, end) => table.put(run.runId, { ...run, ...end }) }),
        Layer.succeed(RunSummaries, {
          find: (workspaceId, runId) =>
            Effect.sync(() => {
              const run = runs.get(runId)
              return run?.workspaceId === workspaceId ? run : undefined
            }),
          countEnded: ({ after, before, limit }) =>
            Effect.map(table.all, (all) => {
              const from = Number(after ?? "0")
              const portion = all.slice(from, from + limit)
              const next = from + portion.length
              return {
                cells: portion.map(({ agentId, finishedAt, latencyMillis, organizationId, outcome, workspaceId }) => ({
                  ...NO_OUTCOMES,
                  [outcome]: 1,
                  organizationId,
                  workspaceId,
                  agentId,
                  latency: { [bucketOf(latencyMillis)]: 1 },
                  at: DateTime.makeUnsafe(
                    Math.floor(DateTime.toEpochMillis(finishedAt) / QUARTER_HOUR_MILLIS) * QUARTER_HOUR_MILLIS
                  )
                })),
                next: portion.length === 0 ? after : String(next),
                reached: next < all.length ? BigInt(next) : before
              }
            })
        })
      )
    })
  )
}
