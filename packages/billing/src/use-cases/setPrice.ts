import { type Actor, atomic, freshId, recordActivity } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime } from "effect"
import { type PriceOverride, PriceOverrideId } from "../PriceOverride.ts"
import { PriceOverrideStore } from "../ports/PriceOverrideStore.ts"
import { priceActivity } from "../priceActivity.ts"

/** A price to be set. */
export interface SetPrice extends Omit<PriceOverride, "id" | "createdAt"> {
  readonly actor: Actor
}

/**
 * Sets the price of a model for one workspace, or with a null scope for all: it holds for calls from `effectiveFrom` on.
 * Earlier calls keep their cost. A workspace's price is recorded in its activity feed; a price for all is in none.
 */
export const setPrice = useCase("billing.setPrice")(function* ({ actor, ...price }: SetPrice) {
  const store = yield* PriceOverrideStore
  const override: PriceOverride = { ...price, id: yield* freshId(PriceOverrideId), createdAt: yield* DateTime.now }
  yield* store.insert(override)
  if (override.scope !== null) yield* recordActivity(priceActivity(actor, "set", override, override.scope))
  return override
}, atomic)
