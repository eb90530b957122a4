import { layerMemory } from "@agent-platform/kernel/memory"
import { Effect } from "effect"
import { type Checkpoint, CheckpointStore } from "../ports/CheckpointStore.ts"
import { isQuestionOpen, isTerminal, type Run } from "../Run.ts"
import { type RunRow, runRows } from "./runRows.ts"

const isSameAgent = (one: Pick<Run, "agentId" | "recipe">, other: Pick<Run, "agentId" | "recipe">): boolean =>
  one.agentId === other.agentId && one.recipe === other.recipe

/** Checkpoints over a `MemoryDatabase`, fenced by the claims of their runs. */
export const layerCheckpointStore = layerMemory(CheckpointStore)((database) => {
  const rows = runRows(database)
  const checkpoints = database.table<Checkpoint>("run_checkpoint")

  /** Whether the question of a run is open, or its answer under way. */
  const isAwaited = Effect.fnUntraced(function* ({ run }: RunRow) {
    if (!run.paused || run.resumedByRunId === null) return isQuestionOpen(run)
    const answer = yield* rows.get(run.resumedByRunId)
    return answer !== undefined && !isTerminal(answer.run)
  })

  return {
    save: Effect.fnUntraced(function* (checkpoint) {
      const row = yield* rows.get(checkpoint.run.id)
      if (row === undefined || row.claimToken !== checkpoint.claimToken || isTerminal(row.run)) return false
      yield* checkpoints.put(checkpoint.run.id, checkpoint)
      return true
    }),
    load: (workspaceId, runId) =>
      Effect.map(checkpoints.get(runId), (found) => (found?.run.workspaceId === workspaceId ? found.state : undefined)),
    recall: Effect.fnUntraced(function* (run) {
      const here = yield* rows.get(run.id)
      const session = yield* rows.inSession(run.sessionId)
      for (const before of session.toReversed()) {
        if (before.position >= (here?.position ?? 0) || !isSameAgent(before.run, run)) continue
        const found = yield* checkpoints.get(before.run.id)
        if (found?.kept === true && found.run.workspaceId === run.workspaceId) return found.state
      }
      return undefined
    }),
    removeSpent: Effect.fnUntraced(function* (runIds) {
      for (const id of runIds) {
        const row = yield* rows.get(id)
        const own = yield* checkpoints.get(id)
        if (row === undefined || own === undefined) continue
        if (!own.kept) {
          if (!(yield* isAwaited(row))) yield* checkpoints.remove(id)
          continue
        }
        for (const before of yield* rows.inSession(row.run.sessionId)) {
          if (before.position >= row.position || !isSameAgent(before.run, row.run)) continue
          const older = yield* checkpoints.get(before.run.id)
          if (older?.kept === true && !(yield* isAwaited(before))) yield* checkpoints.remove(before.run.id)
        }
      }
    })
  }
})
