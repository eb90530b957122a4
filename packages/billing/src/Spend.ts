/** The spending of a workspace and of a run under their caps, and its consequences. Spec: Spend caps. */
import { BigDecimal, type DateTime } from "effect"
import { addUsd, isAtLeast, readUsd, ZERO_USD } from "./Money.ts"

/** A month of a workspace: from `start` on and before `end`. */
export interface SpendPeriod {
  readonly start: DateTime.Utc
  readonly end: DateTime.Utc
}

/** The amounts spent and held back for calls under way, in USD as decimals. */
export interface Spend {
  readonly spentUsd: string
  readonly reservedUsd: string
}

export const NO_SPEND: Spend = { spentUsd: ZERO_USD, reservedUsd: ZERO_USD }

/** A workspace's month as it is kept. */
export interface MonthSpend extends Spend {
  readonly period: SpendPeriod
  /** The workspace's cap when a call was last admitted; null for none. */
  readonly capUsd: string | null
  /** When four fifths of the cap were spent, for the first time in this month. */
  readonly nearAt: DateTime.Utc | null
  /** When the cap was reached, for the first time in this month. */
  readonly reachedAt: DateTime.Utc | null
  /** The highest cap that was reached in this month. */
  readonly reachedCapUsd: string | null
}

/** Whether a call of this worst case may be made: with it, and all that is under way, the cap is still kept. */
export const fits = (spend: Spend, capUsd: string | null, amountUsd: string): boolean =>
  capUsd === null || isAtLeast(capUsd, addUsd(spend.spentUsd, spend.reservedUsd, amountUsd))

/** Whether it may fit once calls under way turn out cheaper than they could have been. */
export const mayFitLater = (spend: Spend, capUsd: string | null, amountUsd: string): boolean =>
  capUsd === null || isAtLeast(capUsd, addUsd(spend.spentUsd, amountUsd))

const NEAR = readUsd("0.8")

/** Whether four fifths of the cap are spent. */
export const isNear = (spentUsd: string, capUsd: string): boolean =>
  BigDecimal.isGreaterThanOrEqualTo(readUsd(spentUsd), BigDecimal.multiply(readUsd(capUsd), NEAR))

/**
 * Whether the workspace begins no more runs this month: its cap is spent, or a call was refused for it. A cap above the one
 * that was reached opens it again.
 */
export const isClosed = (
  month: Pick<MonthSpend, "spentUsd" | "reachedCapUsd"> | undefined,
  capUsd: string | null
): boolean => {
  if (capUsd === null) return false
  if (isAtLeast(month?.spentUsd ?? ZERO_USD, capUsd)) return true
  const reached = month?.reachedCapUsd ?? null
  return reached !== null && isAtLeast(reached, capUsd)
}

/** The lower of two caps; null is none. */
export const lowerCap = (one: string | null, other: string | null): string | null =>
  one === null || other === null ? (one ?? other) : isAtLeast(one, other) ? other : one
