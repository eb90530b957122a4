/** Numbers, money and spans of time in the reader's locale. */

const whole = new Intl.NumberFormat()

/** A count. */
export const count = (value: number): string => whole.format(value)

/** A count of things with a regular plural: `1 run`, `2 runs`. */
export const counted = (value: number, thing: string): string => `${count(value)} ${thing}${value === 1 ? "" : "s"}`

/** Digits behind the point that an amount is shown with at least, and at most. */
const DIGITS = { least: 2, most: 12 }

const dollars = (digitsMin: number, digitsMax: number) =>
  new Intl.NumberFormat(undefined, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: digitsMin,
    maximumFractionDigits: digitsMax
  })

const inColumn = dollars(4, 4)
const exact = dollars(DIGITS.least, DIGITS.most)

// Amounts come as decimal texts and are shown from them: as numbers they would lose their last digits.
const textOf = (amount: string) => amount as Intl.StringNumericLiteral

/** An amount in a column, with as many decimals as the others unless it is zero; nothing for one that may not be seen. */
export const money = (usd: string | null): string => {
  if (usd === null) return "–"
  return Number(usd) === 0 ? exactMoney(usd) : inColumn.format(textOf(usd))
}

/** Makes the format of an axis whose marks are `step` apart: all with the same number of digits, as few as they need. */
export const axisMoney = (step: number): ((usd: number) => string) => {
  let digits = DIGITS.least
  while (digits < DIGITS.most && Number(step.toFixed(digits)) !== step) digits++
  const { format } = dollars(digits, digits)
  return (usd) => format(usd)
}

/** An amount to its last digit. */
export const exactMoney = (usd: string | null): string => (usd === null ? "–" : exact.format(textOf(usd)))

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000]
] as const

const tenths = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1, minimumFractionDigits: 1 })

/** How long something took: `412 ms`, `1.4 s`, `3 min 20 s`. */
export const duration = (millis: number): string => {
  // A time that would be rounded up to a whole second or minute is shown as one.
  if (millis < 999.5) return `${whole.format(Math.max(0, Math.round(millis)))} ms`
  if (millis < 59_950) return `${tenths.format(millis / 1_000)} s`
  const long = Math.max(millis, 60_000)
  const [unit, size] = UNITS.find(([, least]) => long >= least) ?? UNITS[2]
  const rest = unit === "min" ? "s" : unit === "h" ? "min" : "h"
  const restSize = { s: 1_000, min: 60_000, h: 3_600_000 }[rest]
  return `${Math.floor(long / size)} ${unit} ${Math.floor((long % size) / restSize)} ${rest}`
}
