/** A decimal in the contract's form: 2 to 12 decimals, without zeros at the end beyond the second, and without leading zeros. */
export const canonicalUsd = (decimal: string): string => {
  const [whole = "0", fraction = ""] = decimal.split(".")
  const digits = whole.replace(/^0+(?=\d)/, "")
  return `${digits}.${fraction.replace(/0+$/, "").padEnd(2, "0")}`
}
