import type { WorkspaceCaller } from "@agent-platform/kernel"
import { Context, Effect, Layer } from "effect"
import type { CapReached, WorkspaceClosed } from "../Run.ts"

/** Decides whether a workspace may start a run at all. Implemented by a domain that knows prices and caps. */
export class SpendGate extends Context.Service<
  SpendGate,
  {
    /**
     * Fails with CapReached when the workspace may spend nothing more this month, and with WorkspaceClosed when it is being
     * erased. Asked right before the run is written.
     */
    readonly admit: (
      workspace: Pick<WorkspaceCaller, "organizationId" | "workspaceId">
    ) => Effect.Effect<void, CapReached | WorkspaceClosed>
  }
>()("@agent-platform/runs/SpendGate") {
  /** For deployments without caps. */
  static readonly layerOpen: Layer.Layer<SpendGate> = Layer.succeed(SpendGate, { admit: () => Effect.void })
}
