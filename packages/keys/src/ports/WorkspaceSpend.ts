import type { WorkspaceId } from "@agent-platform/kernel"
import { Context, Effect, Layer } from "effect"
import type { SpendPeriod } from "../SpendPeriod.ts"

/** How the month's spending stands to the cap: `near` from 80 % on, `reached` from all of it on or once a call was refused for it. */
export type SpendStatus = "ok" | "near" | "reached"

/** The spending of a workspace in a period, in USD as decimals. */
export interface Spending {
  readonly spentUsd: string
  /** Held back for calls that are under way. */
  readonly reservedUsd: string
  /** How it stands to the cap; `ok` without one. */
  readonly status: SpendStatus
}

/** Reads the spending of workspaces. Fulfilled by the domain that prices and counts model calls. */
export class WorkspaceSpend extends Context.Service<
  WorkspaceSpend,
  {
    /** The spending of the workspace in the period, up to now, under a cap in USD; null for none. */
    readonly read: (workspaceId: WorkspaceId, period: SpendPeriod, capUsd: string | null) => Effect.Effect<Spending>
  }
>()("@agent-platform/keys/WorkspaceSpend") {
  /** For deployments in which nothing costs anything. */
  static readonly layerNothing: Layer.Layer<WorkspaceSpend> = Layer.succeed(WorkspaceSpend, {
    read: () => Effect.succeed({ spentUsd: "0.00", reservedUsd: "0.00", status: "ok" })
  })
}
