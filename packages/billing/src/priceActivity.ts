import type { Actor, NewActivity } from "@agent-platform/kernel"
import { DateTime } from "effect"
import type { PriceOverride, PriceScope } from "./PriceOverride.ts"

/** The entry in the activity feed of a workspace about a price of its own. */
export const priceActivity = (
  actor: Actor,
  verb: "set" | "removed",
  override: PriceOverride,
  { organizationId, workspaceId }: PriceScope
): NewActivity => ({
  organizationId,
  workspaceId,
  action: `price.${verb}`,
  actor,
  summary: `${actor.label} ${verb} the price of ${override.provider}/${override.model}`,
  resourceType: "price",
  resourceId: override.id,
  payload: {
    provider: override.provider,
    model: override.model,
    input_usd: override.inputUsd,
    cache_read_usd: override.cacheReadUsd,
    cache_write_usd: override.cacheWriteUsd,
    output_usd: override.outputUsd,
    effective_from: DateTime.formatIso(override.effectiveFrom)
  }
})
