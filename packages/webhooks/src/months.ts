/** Months in UTC, and which of them an event happened in. */
import { DateTime } from "effect"

/** The month of a time, as `2026-11`. */
export const monthOf = (at: DateTime.Utc): string => DateTime.formatIso(at).slice(0, 7)

/** The first instant of a month. */
export const beginningOf = (month: string): DateTime.Utc => DateTime.makeUnsafe(`${month}-01T00:00:00.000Z`)

/** The first instant of the month after this one. */
export const endOf = (month: string): DateTime.Utc => DateTime.add(beginningOf(month), { months: 1 })

/** Every month from that of `from` to that of `to`, both included. */
export const monthsBetween = (from: DateTime.Utc, to: DateTime.Utc): ReadonlyArray<string> => {
  const months: Array<string> = []
  const last = monthOf(to)
  for (let month = monthOf(from); month <= last; month = monthOf(endOf(month))) months.push(month)
  return months
}
