/** A price that the operator sets: by a workspace's own contract, or for a model that the catalogue does not know. */
import { type OrganizationId, Uuid, type WorkspaceId } from "@agent-platform/kernel"
import { DateTime, Order, Schema } from "effect"
import { ZERO_USD } from "./Money.ts"
import { flatRate, type Price } from "./Price.ts"

export const PriceOverrideId = Uuid.pipe(Schema.brand("PriceOverrideId"))
export type PriceOverrideId = typeof PriceOverrideId.Type

/** The workspace that a price is for. */
export interface PriceScope {
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
}

export interface PriceOverride {
  readonly id: PriceOverrideId
  /** Null: for every workspace that has no override of its own. */
  readonly scope: PriceScope | null
  readonly provider: string
  readonly model: string
  /** USD per million tokens, as decimals. */
  readonly inputUsd: string
  /** Null: as input. */
  readonly cacheReadUsd: string | null
  /** Null: as input. */
  readonly cacheWriteUsd: string | null
  readonly outputUsd: string
  /** It holds for calls from then on, until a later override of the same scope begins. */
  readonly effectiveFrom: DateTime.Utc
  readonly createdAt: DateTime.Utc
}

/** The order in which overrides begin. */
export const byBeginning = Order.combineAll<PriceOverride>([
  Order.mapInput(DateTime.Order, ({ effectiveFrom }) => effectiveFrom),
  Order.mapInput(Order.String, ({ id }) => id)
])

/** No such override, or one that was removed before. */
export class PriceOverrideNotFound extends Schema.TaggedError<PriceOverrideNotFound>()("PriceOverrideNotFound", {}) {}

const byPrecedence = Order.combineAll<PriceOverride>([
  Order.mapInput(Order.Boolean, ({ scope }) => scope !== null),
  byBeginning
])

/** The override that holds at `at`: the workspace's own before everybody's, and of those the one that began last. */
export const effectiveOverride = (
  overrides: ReadonlyArray<PriceOverride>,
  at: DateTime.Utc
): PriceOverride | undefined => {
  const begun = overrides.filter(({ effectiveFrom }) => DateTime.isLessThanOrEqualTo(effectiveFrom, at))
  return begun.sort(byPrecedence).at(-1)
}

/** The price that an override sets. Its version is the override's id. */
export const overriddenPrice = (override: PriceOverride): Price => ({
  version: override.id,
  input: flatRate(override.inputUsd),
  cacheRead: override.cacheReadUsd === null ? undefined : flatRate(override.cacheReadUsd),
  cacheWrite: override.cacheWriteUsd === null ? undefined : flatRate(override.cacheWriteUsd),
  output: flatRate(override.outputUsd),
  reasoning: undefined,
  requestUsd: ZERO_USD
})
