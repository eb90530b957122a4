import { layerMemory, type MemoryDatabase } from "@agent-platform/kernel/memory"
import { addDistributions, bucketOf, type Distribution } from "@agent-platform/toolkit"
import { Array as Arr, DateTime, Effect } from "effect"
import { type OutcomeCount, RunOutcomes } from "../ports/RunOutcomes.ts"
import type { Run } from "../Run.ts"

const QUARTER_MILLIS = 15 * 60_000

/** The runs of a `MemoryDatabase` that have ended, in the order in which they did. */
export const endedRuns = (database: MemoryDatabase["Service"]) => database.table<Run>("ended_run")

const quarterOf = ({ createdAt, finishedAt }: Run): DateTime.Utc => {
  const millis = DateTime.toEpochMillis(finishedAt ?? createdAt)
  return DateTime.makeUnsafe(millis - (millis % QUARTER_MILLIS))
}

const latencyOf = ({ createdAt, finishedAt, runAt, startedAt }: Run): Distribution => {
  if (startedAt === null || finishedAt === null) return {}
  const due = runAt === null ? createdAt : DateTime.max(createdAt, runAt)
  return { [bucketOf(Math.max(0, DateTime.toEpochMillis(finishedAt) - DateTime.toEpochMillis(due)))]: 1 }
}

/** Counts runs of one agent that ended in one quarter of an hour. */
const countOf = (runs: Arr.NonEmptyReadonlyArray<Run>): OutcomeCount => {
  const [{ agentId, organizationId, workspaceId }] = runs
  const count = (isMeant: (run: Run) => boolean) => runs.filter(isMeant).length
  return {
    organizationId,
    workspaceId,
    agentId,
    at: quarterOf(runs[0]),
    succeeded: count(({ paused, status }) => status === "succeeded" && !paused),
    paused: count(({ paused }) => paused),
    failed: count(({ status }) => status === "failed"),
    cancelled: count(({ status }) => status === "cancelled"),
    latency: runs.map(latencyOf).reduce(addDistributions)
  }
}

/** Runs of the same cell are counted together. */
const cellOf = (run: Run): string => [run.workspaceId, run.agentId, DateTime.toEpochMillis(quarterOf(run))].join("\n")

/** How the runs of a `MemoryDatabase` ended. */
export const layerRunOutcomes = layerMemory(RunOutcomes)((database) => {
  const ended = endedRuns(database)
  return {
    countEnded: ({ after, before, limit }) =>
      Effect.map(ended.all, (all) => {
        // The mark of an end is its place in the table, and so is the place to go on from.
        const from = Number(after ?? "0")
        const portion = all.slice(from, from + limit)
        const next = from + portion.length
        return {
          cells: Object.values(Arr.groupBy(portion, cellOf)).map(countOf),
          next: portion.length === 0 ? after : String(next),
          reached: next < all.length ? BigInt(next) : before
        }
      })
  }
})
