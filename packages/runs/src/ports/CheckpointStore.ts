import type { Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, Effect, Layer, type Schema } from "effect"
import type { Run, RunId } from "../Run.ts"

/** The progress of a run's recipe, for the next execution of the run. */
export interface Checkpoint {
  readonly run: Pick<Run, "id" | "organizationId" | "workspaceId">
  /** The claim under which it is written. */
  readonly claimToken: string
  /** The recipe's own state, from which it goes on. */
  readonly state: Schema.Json
}

/** Keeps the checkpoints of runs, one each. Tested by `checkpointStoreContract`. */
export class CheckpointStore extends Context.Service<
  CheckpointStore,
  {
    /** Writes a run's checkpoint in place of the one before; false, and nothing written, when the claim was lost. */
    readonly save: (checkpoint: Checkpoint) => Effect.Effect<boolean, never, Transaction>
    /** The state in the checkpoint of the workspace's run, exactly as it was saved; undefined when there is none. */
    readonly load: (workspaceId: WorkspaceId, runId: RunId) => Effect.Effect<Schema.Json | undefined>
    /** Removes the checkpoints of these runs. Those that have none are passed over. */
    readonly remove: (runIds: ReadonlyArray<RunId>) => Effect.Effect<void, never, Transaction>
  }
>()("@agent-platform/runs/CheckpointStore") {
  /** Keeps nothing: a run that is executed again begins anew, and a reply to a question goes on without what was said before. */
  static readonly layerNone: Layer.Layer<CheckpointStore> = Layer.succeed(CheckpointStore, {
    save: () => Effect.succeed(true),
    load: () => Effect.succeed(undefined),
    remove: () => Effect.void
  })
}
