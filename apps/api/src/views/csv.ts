/** Tables of comma-separated values. RFC 4180. */

/** A plain decimal, which no spreadsheet takes for a formula. */
const NUMBER = /^-?\d+(\.\d+)?$/

/** Characters that a spreadsheet may take for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r\n]/

/** The text of a cell. What could be a formula gets an apostrophe in front, by which spreadsheets take it for text. */
const cellOf = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  const text = typeof value === "string" ? value : String(value)
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A value in an object by its path, such as `usage.requests`; names of metadata may have dots of their own. */
const valueAt = (row: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>(
    (value, name) =>
      typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined,
    row
  )

/** A column: where its value is in each row. Its name is the path with dots. */
export type Column = ReadonlyArray<string>

/** The table of these rows, with a header, each line with its end. */
export const csvOf = (columns: ReadonlyArray<Column>, rows: ReadonlyArray<unknown>): string =>
  [
    columns.map((column) => cellOf(column.join("."))),
    ...rows.map((row) => columns.map((column) => cellOf(valueAt(row, column))))
  ]
    .map((cells) => `${cells.join(",")}\r\n`)
    .join("")
