import { type Actor, atomic, recordActivity } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime } from "effect"
import { type PriceOverrideId, PriceOverrideNotFound } from "../PriceOverride.ts"
import { PriceOverrideStore } from "../ports/PriceOverrideStore.ts"
import { priceActivity } from "../priceActivity.ts"

/** Removes a price for calls from now on. Fails with PriceOverrideNotFound, also for one that was removed before. */
export const removePrice = useCase("billing.removePrice")(function* (command: {
  readonly id: PriceOverrideId
  readonly actor: Actor
}) {
  const { actor, id } = command
  const store = yield* PriceOverrideStore
  const removed = yield* store.remove(id, yield* DateTime.now)
  if (removed === undefined) return yield* new PriceOverrideNotFound()
  if (removed.scope !== null) yield* recordActivity(priceActivity(actor, "removed", removed, removed.scope))
  return removed
}, atomic)
