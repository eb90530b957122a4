import type { Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { PriceOverride, PriceOverrideId } from "../PriceOverride.ts"

/** Keeps the prices that operators set. Held by `priceOverrideStoreContract`. */
export class PriceOverrideStore extends Context.Service<
  PriceOverrideStore,
  {
    readonly insert: (override: PriceOverride) => Effect.Effect<void, never, Transaction>
    /** Takes an override back from `at` on and answers it; undefined when there is none that is not removed. */
    readonly remove: (
      id: PriceOverrideId,
      at: DateTime.Utc
    ) => Effect.Effect<PriceOverride | undefined, never, Transaction>
    /** The prices of this model that were not removed, of the workspace and of everybody, future ones included. */
    readonly findFor: (
      workspaceId: WorkspaceId,
      provider: string,
      model: string
    ) => Effect.Effect<ReadonlyArray<PriceOverride>>
    /** All that were not removed: the workspace's, or with null everybody's. By provider, model and beginning. */
    readonly list: (workspaceId: WorkspaceId | null) => Effect.Effect<ReadonlyArray<PriceOverride>>
  }
>()("@agent-platform/billing/PriceOverrideStore") {}
