/** Tables of comma-separated values. RFC 4180. */

/** A plain decimal. No spreadsheet takes one for a formula, even with a minus sign. */
const NUMBER = /^-?\d+(\.\d+)?$/

/** Characters that a spreadsheet may take for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r\n]/

/** The text of a cell. A text that could be a formula gets an apostrophe in front, which makes spreadsheets show it as text. */
const cellOf = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  const text = typeof value === "string" ? value : String(value)
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** The value in an object at a path such as `usage.requests`. The path is a list, since names of metadata may have dots. */
const valueAt = (row: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>(
    (value, name) =>
      typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined,
    row
  )

/** A column, by the path of its value in each row. Its name is the path with dots. */
export type Column = ReadonlyArray<string>

/** The table of these rows, with a header. Every line ends with CRLF. */
export const csvOf = (columns: ReadonlyArray<Column>, rows: ReadonlyArray<unknown>): string =>
  [
    columns.map((column) => cellOf(column.join("."))),
    ...rows.map((row) => columns.map((column) => cellOf(valueAt(row, column))))
  ]
    .map((cells) => `${cells.join(",")}\r\n`)
    .join("")
