/** The amount that a cap leaves. */
import type { SpendCap } from "@agent-platform/client"

/** Decimal places of an amount: the API gives no more. */
const DIGITS = 12

// Amounts are decimal texts: as numbers they would lose their last digits.
const unitsOf = (amount: string): bigint => {
  const [whole = "0", fraction = ""] = amount.replace("-", "").split(".")
  const units = BigInt(whole + fraction.slice(0, DIGITS).padEnd(DIGITS, "0"))
  return amount.startsWith("-") ? -units : units
}

const textOf = (units: bigint): string => {
  const digits = units.toString().padStart(DIGITS + 1, "0")
  return `${digits.slice(0, -DIGITS)}.${digits.slice(-DIGITS)}`
}

/** The cap without what is spent and what is held back; never below nothing. Null where there is no cap. */
export const leftOf = (cap: Pick<SpendCap, "monthly_cap_usd" | "spent_usd" | "reserved_usd">): string | null => {
  if (cap.monthly_cap_usd === null) return null
  const left = unitsOf(cap.monthly_cap_usd) - unitsOf(cap.spent_usd) - unitsOf(cap.reserved_usd)
  return textOf(left < 0n ? 0n : left)
}
