/** Amounts of USD: decimals as text between the parts, `BigDecimal` inside a computation, never a float. */
import { BigDecimal } from "effect"

/** Most decimals of an amount; further ones are rounded. */
export const USD_DECIMALS = 12

export const ZERO_USD = "0.00"

/** The amount in a decimal text. Throws on any other text, and on an amount below zero. */
export const readUsd = (text: string): BigDecimal.BigDecimal => {
  const amount = BigDecimal.fromStringUnsafe(text)
  if (amount.value < 0n) throw new Error(`An amount of money is below zero: ${text}`)
  return amount
}

/**
 * The amount as the contract writes it: 2 to 12 decimals, no exponent, zeros beyond the second decimal left out. A cost is rounded to
 * the nearest twelfth decimal, half a unit up; a reservation is rounded up, so that it never falls short of the cost.
 */
export const writeUsd = (amount: BigDecimal.BigDecimal, rounding: "nearest" | "up" = "nearest"): string => {
  const rounded = BigDecimal.round(amount, {
    scale: USD_DECIMALS,
    mode: rounding === "up" ? "from-zero" : "half-from-zero"
  })
  const digits = BigDecimal.scale(rounded, USD_DECIMALS)
    .value.toString()
    .padStart(USD_DECIMALS + 1, "0")
  const decimals = digits.slice(-USD_DECIMALS).replace(/0+$/, "").padEnd(2, "0")
  return `${digits.slice(0, -USD_DECIMALS)}.${decimals}`
}

/** The sum of amounts, exact. */
export const addUsd = (...amounts: ReadonlyArray<string>): string =>
  writeUsd(BigDecimal.sumAll(amounts.map((amount) => readUsd(amount))))

/** Whether one amount is at least the other. */
export const isAtLeast = (amount: string, other: string): boolean =>
  BigDecimal.isGreaterThanOrEqualTo(readUsd(amount), readUsd(other))

/** The amount without those that are taken; zero where these are more. */
export const leftOf = (amount: string, ...taken: ReadonlyArray<string>): string => {
  const sum = addUsd(...taken)
  return isAtLeast(amount, sum) ? subtractUsd(amount, sum) : ZERO_USD
}

/** The difference of two amounts, exact. Throws below zero. */
export const subtractUsd = (amount: string, taken: string): string => {
  const left = BigDecimal.subtract(readUsd(amount), readUsd(taken))
  if (left.value < 0n) throw new Error(`${taken} cannot be taken from ${amount}`)
  return writeUsd(left)
}
