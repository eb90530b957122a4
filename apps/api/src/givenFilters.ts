import { DateTime } from "effect"

interface Query {
  readonly limit: number
  readonly cursor?: string
}

/** The filters of a list's query, to which a cursor is bound: all parameters except the cursor and the size of the page. */
export const givenFilters = (query: Query): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(query)
      .filter(([name, value]) => name !== "cursor" && name !== "limit" && value !== undefined)
      .map(([name, value]) => [name, DateTime.isDateTime(value) ? DateTime.formatIso(value) : String(value)])
  )
