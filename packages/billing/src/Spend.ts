/** The spending of workspaces and runs. What their caps make of it is in `Cap.ts`. */
import type { DateTime } from "effect"
import type { Span } from "./BillingMonth.ts"
import { ZERO_USD } from "./Money.ts"

/** The amounts that are spent, and reserved for calls under way, in USD as decimals. */
export interface Spend {
  readonly spentUsd: string
  readonly reservedUsd: string
}

export const NO_SPEND: Spend = { spentUsd: ZERO_USD, reservedUsd: ZERO_USD }

/** The spending of a workspace's month. */
export interface MonthSpend extends Spend {
  /** The month. */
  readonly period: Span
  /** The workspace's cap when a call was last admitted; null for none. */
  readonly capUsd: string | null
  /** When four fifths of the cap were spent, for the first time in this month. */
  readonly nearAt: DateTime.Utc | null
  /** When the cap was reached, for the first time in this month. */
  readonly reachedAt: DateTime.Utc | null
  /** The highest cap that was reached in this month. */
  readonly reachedCapUsd: string | null
}
