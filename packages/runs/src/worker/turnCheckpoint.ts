/** The checkpoint of a run, as the recipe that executes it sees it. */
import { Effect, type Schema } from "effect"
import type { TurnCheckpoint } from "../ports/AgentRunner.ts"
import type { CheckpointStore } from "../ports/CheckpointStore.ts"
import type { ClaimedRun } from "../ports/RunQueue.ts"

/** A checkpoint that knows whether it was used. */
export interface WatchedCheckpoint extends TurnCheckpoint {
  /** Whether the run may have one: it was executed before, answers a question, or its recipe has asked or saved. */
  readonly isUsed: () => boolean
}

/** The checkpoint of a run that this worker holds, saved by its writer. */
export const turnCheckpoint = (
  { run }: ClaimedRun,
  store: CheckpointStore["Service"],
  save: (state: Schema.Json, kept: boolean) => Effect.Effect<boolean>
): WatchedCheckpoint => {
  let isUsed = run.attempt > 1 || run.resumesRunId !== null
  const using = <A>(effect: Effect.Effect<A>) =>
    Effect.suspend(() => {
      isUsed = true
      return effect
    })
  // Where the save failed, another worker may execute the run by now, so this execution stops.
  const saving = (kept: boolean) => (state: Schema.Json) =>
    using(Effect.flatMap(save(state, kept), (saved) => (saved ? Effect.void : Effect.interrupt)))
  return {
    isUsed: () => isUsed,
    load: using(store.load(run.workspaceId, run.id)),
    ofQuestion: using(run.resumesRunId === null ? Effect.undefined : store.load(run.workspaceId, run.resumesRunId)),
    // Another run's, so it says nothing about whether this one has a checkpoint.
    ofSession: store.recall(run),
    save: saving(false),
    keep: saving(true)
  }
}
