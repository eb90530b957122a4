import type { WorkspaceId } from "@agent-platform/kernel"
import { Context, Effect, Layer } from "effect"
import type { SpendPeriod } from "../SpendPeriod.ts"

/** The spending of a workspace in a period, in USD as decimals. */
export interface Spending {
  readonly spentUsd: string
  /** Held back for calls that are under way. */
  readonly reservedUsd: string
  /** The highest cap that was reached in the period: all of it was spent, or a call was refused for it; null for none. */
  readonly reachedCapUsd: string | null
}

/** Reads the spending of workspaces. Fulfilled by the domain that prices and counts model calls. */
export class WorkspaceSpend extends Context.Service<
  WorkspaceSpend,
  {
    /** The spending of the workspace in the period, up to now. */
    readonly read: (workspaceId: WorkspaceId, period: SpendPeriod) => Effect.Effect<Spending>
  }
>()("@agent-platform/keys/WorkspaceSpend") {
  /** For deployments in which nothing costs anything. */
  static readonly layerNothing: Layer.Layer<WorkspaceSpend> = Layer.succeed(WorkspaceSpend, {
    read: () => Effect.succeed({ spentUsd: "0.00", reservedUsd: "0.00", reachedCapUsd: null })
  })
}
