import type { Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { PriceOverride, PriceOverrideId } from "../PriceOverride.ts"

/** Keeps the prices that operators set. Tested by `priceOverrideStoreContract`. */
export class PriceOverrideStore extends Context.Service<
  PriceOverrideStore,
  {
    readonly insert: (override: PriceOverride) => Effect.Effect<void, never, Transaction>
    /** Removes an override at `at` and returns it; undefined when there is none, or it was removed before. */
    readonly remove: (
      id: PriceOverrideId,
      at: DateTime.Utc
    ) => Effect.Effect<PriceOverride | undefined, never, Transaction>
    /** The overrides for this model that were not removed, for the workspace and for all, future ones included. */
    readonly findFor: (
      workspaceId: WorkspaceId,
      provider: string,
      model: string
    ) => Effect.Effect<ReadonlyArray<PriceOverride>>
    /** All overrides that were not removed: the workspace's, or with null those for all. By provider, model and beginning. */
    readonly list: (workspaceId: WorkspaceId | null) => Effect.Effect<ReadonlyArray<PriceOverride>>
  }
>()("@agent-platform/billing/PriceOverrideStore") {}
