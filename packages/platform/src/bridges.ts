/** Ports that one domain has and another fulfils. */
import { WorkspaceSpend } from "@agent-platform/keys"
import { RunStore } from "@agent-platform/runs"
import { Effect, Layer } from "effect"

/** What workspaces spend is what their runs cost. Nothing is held back for calls under way. */
export const layerWorkspaceSpend: Layer.Layer<WorkspaceSpend, never, RunStore> = Layer.effect(
  WorkspaceSpend,
  Effect.map(RunStore, (runs) => ({
    read: (workspaceId, period) =>
      Effect.map(runs.spent(workspaceId, period), (spentUsd) => ({ spentUsd, reservedUsd: "0.00" }))
  }))
)
