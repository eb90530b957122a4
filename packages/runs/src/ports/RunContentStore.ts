import type { Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, Effect, Layer } from "effect"
import type { Run, RunId } from "../Run.ts"
import type { ContentPart } from "../RunContent.ts"

/** Keeps what callers sent beside their messages, apart from runs, which are read far more often. Held by `runContentStoreContract`. */
export class RunContentStore extends Context.Service<
  RunContentStore,
  {
    /** Keeps the parts of a run that was added in the same transaction. They are gone with it. */
    readonly insert: (
      run: Pick<Run, "id" | "organizationId" | "workspaceId">,
      parts: ReadonlyArray<ContentPart>
    ) => Effect.Effect<void, never, Transaction>
    /** How many bytes of JSON the parts of each of the workspace's runs are; those without any are left out. */
    readonly sizes: (
      workspaceId: WorkspaceId,
      runIds: ReadonlyArray<RunId>
    ) => Effect.Effect<ReadonlyMap<RunId, number>>
    /** The parts of the workspace's runs, exactly as they were sent. */
    readonly load: (
      workspaceId: WorkspaceId,
      runIds: ReadonlyArray<RunId>
    ) => Effect.Effect<ReadonlyMap<RunId, ReadonlyArray<ContentPart>>>
  }
>()("@agent-platform/runs/RunContentStore") {
  /** For deployments whose callers send nothing but messages. Dies where one sends more. */
  static readonly layerNone: Layer.Layer<RunContentStore> = Layer.succeed(RunContentStore, {
    insert: () => Effect.die(new Error("No store keeps what is sent beside messages")),
    sizes: () => Effect.succeed(new Map()),
    load: () => Effect.succeed(new Map())
  })
}
