import { layerMemory } from "@agent-platform/kernel/memory"
import { Effect } from "effect"
import { type Checkpoint, CheckpointStore } from "../ports/CheckpointStore.ts"
import { isTerminal } from "../Run.ts"
import { runRows } from "./runRows.ts"

/** Checkpoints over a `MemoryDatabase`, fenced by the claims of their runs. */
export const layerCheckpointStore = layerMemory(CheckpointStore)((database) => {
  const rows = runRows(database)
  const checkpoints = database.table<Checkpoint>("run_checkpoint")
  return {
    save: Effect.fnUntraced(function* (checkpoint) {
      const row = yield* rows.get(checkpoint.run.id)
      if (row === undefined || row.claimToken !== checkpoint.claimToken || isTerminal(row.run)) return false
      yield* checkpoints.put(checkpoint.run.id, checkpoint)
      return true
    }),
    load: (workspaceId, runId) =>
      Effect.map(checkpoints.get(runId), (found) => (found?.run.workspaceId === workspaceId ? found.state : undefined)),
    remove: (runIds) => Effect.forEach(runIds, (id) => checkpoints.remove(id), { discard: true })
  }
})
