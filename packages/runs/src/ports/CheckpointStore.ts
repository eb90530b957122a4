import type { Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, Effect, Layer, type Schema } from "effect"
import type { Run, RunId } from "../Run.ts"

/** The progress of a run's recipe, for the next execution of the run. */
export interface Checkpoint {
  readonly run: Pick<Run, "id" | "organizationId" | "workspaceId" | "sessionId">
  /** The claim under which it is written. */
  readonly claimToken: string
  /** The recipe's own state, from which it goes on. */
  readonly state: Schema.Json
  /** Whether it outlives its run, for later runs of the session to go on from. */
  readonly kept: boolean
}

/** Keeps the checkpoints of runs, one each. Tested by `checkpointStoreContract`. */
export class CheckpointStore extends Context.Service<
  CheckpointStore,
  {
    /** Writes a run's checkpoint in place of the one before; false, and nothing written, when the claim was lost. */
    readonly save: (checkpoint: Checkpoint) => Effect.Effect<boolean, never, Transaction>
    /** The state in the checkpoint of the workspace's run, exactly as it was saved; undefined when there is none. */
    readonly load: (workspaceId: WorkspaceId, runId: RunId) => Effect.Effect<Schema.Json | undefined>
    /**
     * The state in the checkpoint that the session has kept of the last run before this one, of the same agent and recipe;
     * undefined where there is none.
     */
    readonly recall: (
      run: Pick<Run, "id" | "workspaceId" | "sessionId" | "agentId" | "recipe">
    ) => Effect.Effect<Schema.Json | undefined>
    /**
     * Removes the checkpoints that nobody needs any more now that these runs have ended. Each run's own is needed while its question is
     * open or the run that answers it has not ended. A kept one stays until a later run of the same session, agent and recipe is
     * among these runs and has a kept one too.
     */
    readonly removeSpent: (runIds: ReadonlyArray<RunId>) => Effect.Effect<void, never, Transaction>
  }
>()("@agent-platform/runs/CheckpointStore") {
  /** Keeps nothing: a run that is executed again begins anew, and a reply to a question goes on without what was said before. */
  static readonly layerNone: Layer.Layer<CheckpointStore> = Layer.succeed(CheckpointStore, {
    save: () => Effect.succeed(true),
    load: () => Effect.succeed(undefined),
    recall: () => Effect.succeed(undefined),
    removeSpent: () => Effect.void
  })
}
