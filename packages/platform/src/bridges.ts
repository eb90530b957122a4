/** Ports that one domain has and another fulfils. */
import { WorkspaceSpend } from "@agent-platform/keys"
import { RunStore, SpendGuard, SpendRefused } from "@agent-platform/runs"
import { Effect, Layer } from "effect"

/** What workspaces spend is what their runs cost. Nothing is held back for calls under way. */
export const layerWorkspaceSpend: Layer.Layer<WorkspaceSpend, never, RunStore> = Layer.effect(
  WorkspaceSpend,
  Effect.map(RunStore, (runs) => ({
    read: (workspaceId, period) =>
      Effect.map(runs.spent(workspaceId, period), (spentUsd) => ({ spentUsd, reservedUsd: "0.00" }))
  }))
)

/**
 * Lets model calls through that no cap of their run stands against, and prices none: nothing here knows prices. A run with a
 * cap is refused, since nobody could keep it.
 */
export const layerSpendGuard: Layer.Layer<SpendGuard> = Layer.succeed(SpendGuard, {
  reserve: ({ provider, requestModel, run }) =>
    run.maxCostUsd === null
      ? Effect.void
      : new SpendRefused({
          errorCode: "model_unpriced",
          detail: `Nobody knows the price of ${requestModel} of ${provider}, and the run has a cap to keep`
        }),
  settle: () => Effect.succeed({ costUsd: null })
})
