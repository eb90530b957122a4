/** Months, as in 2026-11. */

/** How many months can be chosen, the present one among them. */
const MONTHS_OFFERED = 12

const isMonth = /^\d{4}-(?:0[1-9]|1[0-2])$/

/** The month that an address names; undefined where it names none that is one. */
export const monthOf = (given: unknown): string | undefined =>
  typeof given === "string" && isMonth.test(given) ? given : undefined

const format = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric", timeZone: "UTC" })

/** A month as people read it. */
export const monthName = (month: string): string => format.format(new Date(`${month}-01T00:00:00Z`))

/** A month and those before it, newest first: `MONTHS_OFFERED` in all. */
export const monthsUntil = (month: string): ReadonlyArray<string> => {
  const [year = 0, number = 1] = month.split("-").map(Number)
  return [...Array(MONTHS_OFFERED).keys()].map((back) =>
    new Date(Date.UTC(year, number - 1 - back, 1)).toISOString().slice(0, 7)
  )
}
