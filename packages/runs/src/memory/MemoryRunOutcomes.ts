import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { DateTime, Effect, Layer } from "effect"
import { type OutcomeCount, RunOutcomes } from "../ports/RunOutcomes.ts"
import type { Run } from "../Run.ts"

const QUARTER_MILLIS = 15 * 60_000

/** The runs of a `MemoryDatabase` that have ended, in the order in which they did. */
export const endedRuns = Effect.map(MemoryDatabase, (database) => database.table<Run>("ended_run"))

const quarterOf = (at: DateTime.Utc): DateTime.Utc => {
  const millis = DateTime.toEpochMillis(at)
  return DateTime.makeUnsafe(millis - (millis % QUARTER_MILLIS))
}

const countOf = (run: Run): OutcomeCount => ({
  organizationId: run.organizationId,
  workspaceId: run.workspaceId,
  agentId: run.agentId,
  at: quarterOf(run.finishedAt ?? run.createdAt),
  succeeded: run.status === "succeeded" && !run.paused ? 1 : 0,
  paused: run.paused ? 1 : 0,
  failed: run.status === "failed" ? 1 : 0,
  cancelled: run.status === "cancelled" ? 1 : 0
})

const addUp = (counts: ReadonlyArray<OutcomeCount>): ReadonlyArray<OutcomeCount> => {
  const cells = new Map<string, OutcomeCount>()
  for (const count of counts) {
    const key = [count.workspaceId, count.agentId, DateTime.toEpochMillis(count.at)].join("\n")
    const cell = cells.get(key)
    cells.set(
      key,
      cell === undefined
        ? count
        : {
            ...cell,
            succeeded: cell.succeeded + count.succeeded,
            paused: cell.paused + count.paused,
            failed: cell.failed + count.failed,
            cancelled: cell.cancelled + count.cancelled
          }
    )
  }
  return [...cells.values()]
}

/** How the runs of a `MemoryDatabase` ended. */
export const layerRunOutcomes: Layer.Layer<RunOutcomes, never, MemoryDatabase> = Layer.effect(
  RunOutcomes,
  Effect.map(endedRuns, (ended) =>
    RunOutcomes.of({
      ended: ({ after, before, limit }) =>
        Effect.map(ended.all, (all) => {
          const from = Number(after ?? "0")
          const portion = all.slice(from, from + limit)
          const next = from + portion.length
          return {
            cells: addUp(portion.map(countOf)),
            next: portion.length === 0 ? after : String(next),
            reached: next < all.length ? BigInt(next) : before
          }
        })
    })
  )
)
