import { type Page, type PageRequest, toPage } from "../Page.ts"

/** A page of the rows of a table, newest first. */
export const newestFirst = <Row extends { readonly id: string }>(
  rows: ReadonlyArray<Row>,
  { before, limit }: PageRequest
): Page<Row> => {
  const listed = rows.filter(({ id }) => before === undefined || id < before).sort((a, b) => (a.id < b.id ? 1 : -1))
  return toPage(listed, limit, ({ id }) => id)
}
