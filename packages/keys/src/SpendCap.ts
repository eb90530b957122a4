/** The monthly cap of a workspace, and how far its spending is. */
import { BigDecimal } from "effect"

/** How the month's spending stands to the cap: `near` from 80 % on, `reached` from all of it on. */
export type SpendStatus = "ok" | "near" | "reached"

const NEAR = BigDecimal.fromStringUnsafe("0.8")

/**
 * How far a workspace is. Exact to the last decimal; without a cap it is always `ok`. `reachedCapUsd` is the highest cap for
 * which a call of the month was refused: no more than that, and it is reached although not all of it is spent.
 */
export const spendStatus = (
  monthlyCapUsd: string | null,
  spentUsd: string,
  reachedCapUsd: string | null = null
): SpendStatus => {
  if (monthlyCapUsd === null) return "ok"
  const cap = BigDecimal.fromStringUnsafe(monthlyCapUsd)
  const isRefused =
    reachedCapUsd !== null && BigDecimal.isGreaterThanOrEqualTo(BigDecimal.fromStringUnsafe(reachedCapUsd), cap)
  if (isRefused) return "reached"
  const spent = BigDecimal.fromStringUnsafe(spentUsd)
  if (BigDecimal.isGreaterThanOrEqualTo(spent, cap)) return "reached"
  return BigDecimal.isGreaterThanOrEqualTo(spent, BigDecimal.multiply(cap, NEAR)) ? "near" : "ok"
}

/** Whether two caps are the same amount, however many zeros they are written with. */
export const isSameCap = (one: string | null, other: string | null): boolean =>
  one === null || other === null
    ? one === other
    : BigDecimal.equals(BigDecimal.fromStringUnsafe(one), BigDecimal.fromStringUnsafe(other))
