/** Reads amounts of money from columns `numeric(24, 12)`, which the client returns as text. */

/** The amount as the contract writes it: 2 to 12 decimals, zeros beyond the second left out. */
export const readMoney = (numeric: string): string => {
  const [whole = "0", decimals = ""] = numeric.split(".")
  return `${whole}.${decimals.replace(/0+$/, "").padEnd(2, "0")}`
}

/** As `readMoney`, null for null. */
export const readNullableMoney = (numeric: string | null): string | null =>
  numeric === null ? null : readMoney(numeric)
