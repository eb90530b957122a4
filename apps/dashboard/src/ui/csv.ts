/** An amount, which may be below nothing. */
const NUMBER = /^-?\d+(?:\.\d+)?$/

/** A cell of a table that programs read. What begins like a formula is kept from being one in a spreadsheet. */
const cell = (value: string | number): string => {
  if (typeof value === "number") return String(value)
  const text = /^[=+\-@\t\r]/.test(value) && !NUMBER.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A table as CSV (RFC 4180), its titles first. */
export const csvOf = (titles: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string | number>>): string =>
  [titles, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("")
