import { layerMemory } from "@agent-platform/kernel/memory"
import { DateTime, Effect } from "effect"
import { type HeldFacts, RunSettlement } from "../ports/RunSettlement.ts"
import { isTerminal, Run, type RunId } from "../Run.ts"
import { endedRuns } from "./MemoryRunOutcomes.ts"
import { appendTo, runRows } from "./runRows.ts"

/** Settlement of runs over a `MemoryDatabase`. */
export const layerRunSettlement = layerMemory(RunSettlement)((database) => {
  const rows = runRows(database)
  const append = appendTo(database)
  const ended = endedRuns(database)

  return {
    hold: Effect.fnUntraced(function* (claims) {
      const held = new Map<RunId, HeldFacts>()
      for (const { claimToken, runId } of claims) {
        const row = yield* rows.get(runId)
        if (row === undefined || isTerminal(row.run) || row.claimToken !== claimToken) continue
        const { cancelRequestedAt, costUsd, usage } = row.run
        held.set(runId, { cancelRequestedAt, costUsd, usage })
      }
      return held
    }),
    settle: Effect.fnUntraced(function* (settled) {
      const written = new Set<RunId>()
      for (const { claimToken, events = [], run: settledRun } of settled) {
        const row = yield* rows.get(settledRun.id)
        if (row === undefined || row.claimToken !== claimToken || isTerminal(row.run)) continue
        const { costUsd, usage } = row.run
        const run = { ...settledRun, costUsd, usage, callbackUntil: null }
        yield* rows.put(run.id, { ...(yield* append(row, events)), run, claimToken: null, leaseUntil: 0 })
        if (isTerminal(run)) yield* ended.put(run.id, run)
        written.add(run.id)
      }
      // Whether a run came due is not looked up: a signal too many does no harm.
      return { written, hasDue: written.size > 0 }
    }),
    awaitCallback: Effect.fnUntraced(function* ({ claimToken, runId }, { seconds }) {
      const row = yield* rows.get(runId)
      if (row?.run.status !== "running" || row.claimToken !== claimToken) return false
      const callbackUntil = DateTime.add(yield* DateTime.now, { seconds })
      yield* rows.put(runId, {
        ...row,
        run: { ...row.run, callbackUntil },
        leaseUntil: DateTime.toEpochMillis(callbackUntil)
      })
      return true
    }),
    requestCancel: Effect.fnUntraced(function* (id) {
      const row = yield* rows.get(id)
      if (row?.run.status !== "running") return undefined
      const run = Run.cancelRequested(row.run, yield* DateTime.now)
      yield* rows.put(id, { ...row, run })
      return run.cancelRequestedAt ?? undefined
    }),
    addUsage: Effect.fnUntraced(function* (workspaceId, id, { costUsd, usage }) {
      const row = yield* rows.get(id)
      if (row === undefined || row.run.workspaceId !== workspaceId) return
      yield* rows.put(id, { ...row, run: Run.used(row.run, usage, costUsd) })
    })
  }
})
