import type { WorkspaceId } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import type { DateTime } from "effect"
import { effectiveOverride, overriddenPrice } from "../PriceOverride.ts"
import { PriceBook } from "../ports/PriceBook.ts"
import { PriceOverrideStore } from "../ports/PriceOverrideStore.ts"

/** The price of a model for the workspace at a time: from an override, else from the catalogue; undefined when neither has one. */
export const findPrice = useCase("billing.findPrice")(function* (query: {
  readonly workspaceId: WorkspaceId
  readonly provider: string
  readonly model: string
  readonly at: DateTime.Utc
}) {
  const { at, model, provider, workspaceId } = query
  const overrides = yield* PriceOverrideStore
  const book = yield* PriceBook
  const override = effectiveOverride(yield* overrides.findFor(workspaceId, provider, model), at)
  return override === undefined ? yield* book.find(provider, model, at) : overriddenPrice(override)
})
