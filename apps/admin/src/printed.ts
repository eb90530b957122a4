/** The standard output of commands: JSON, or a table for people. */
import { Console, type Effect } from "effect"

/** A row of a table, and of its JSON. */
export type Row = Readonly<Record<string, unknown>>

/** Prints a value as JSON. */
export const printJson = (value: unknown): Effect.Effect<void> => Console.log(JSON.stringify(value, null, 2))

/** The text of a cell, without characters that move a terminal's cursor, since tenants choose some texts. */
const cellOf = (value: unknown): string => {
  const text = value === null || value === undefined ? "-" : typeof value === "string" ? value : JSON.stringify(value)
  return text.replaceAll(/\p{C}/gu, "?")
}

/** The rows as a table with these columns; an empty one says so. */
export const tableOf = (columns: ReadonlyArray<string>, rows: ReadonlyArray<Row>): string => {
  if (rows.length === 0) return "None"
  const lines = [columns, ...rows.map((row) => columns.map((column) => cellOf(row[column])))]
  const widths = columns.map((_, place) => Math.max(...lines.map((line) => line[place]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, place) => cell.padEnd(widths[place] ?? 0))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** The fields of a view of the database, with its times as they are printed. */
export const rowOfView = (view: object): Row =>
  Object.fromEntries(
    Object.entries(view).map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value])
  )

/** Prints a page of rows, and how the next one is asked for where there is one. */
export const printPage = (
  rows: ReadonlyArray<Row>,
  next: string | null,
  columns: ReadonlyArray<string>,
  json: boolean
) => {
  if (json) return printJson({ items: rows, next })
  return Console.log(`${tableOf(columns, rows)}${next === null ? "" : `\nMore: --before ${next}`}`)
}

/** Prints rows: all of each as JSON, or some columns as a table. */
export const printRows = (rows: ReadonlyArray<Row>, columns: ReadonlyArray<string>, json: boolean) =>
  json ? printJson({ items: rows }) : Console.log(tableOf(columns, rows))
