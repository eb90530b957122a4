import type { WorkspaceId } from "@agent-platform/kernel"
import { Context, Effect, Layer } from "effect"
import type { SpendPeriod } from "../SpendPeriod.ts"

/** The month's spending compared to the cap: `near` from 80 % on, `reached` from 100 % on or once the cap has refused a call. */
export type SpendStatus = "ok" | "near" | "reached"

/** The spending of a workspace in a period, in USD as decimals. */
export interface Spending {
  readonly spentUsd: string
  /** Reserved for calls that are under way. */
  readonly reservedUsd: string
  /** The status under the cap; `ok` without one. */
  readonly status: SpendStatus
}

/** Reads the spending of workspaces. Implemented by the domain that prices and counts model calls. */
export class WorkspaceSpend extends Context.Service<
  WorkspaceSpend,
  {
    /** The spending of the workspace in the period up to now, and its status under a cap in USD (null for no cap). */
    readonly read: (workspaceId: WorkspaceId, period: SpendPeriod, capUsd: string | null) => Effect.Effect<Spending>
  }
>()("@agent-platform/keys/WorkspaceSpend") {
  /** For deployments in which nothing has a price. */
  static readonly layerNothing: Layer.Layer<WorkspaceSpend> = Layer.succeed(WorkspaceSpend, {
    read: () => Effect.succeed({ spentUsd: "0.00", reservedUsd: "0.00", status: "ok" })
  })
}
