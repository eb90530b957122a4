/** Pages: newest first, cut at a position that stays put while rows are being inserted. */

/** Most items of a page, and how many without a `limit`. */
export const PAGE_LIMIT_MAX = 50

/** Which page is asked for. Rows are ordered by id, newest first; `before` is the last id already seen. */
export interface PageRequest {
  readonly limit: number
  readonly before: string | undefined
}

/** One page. `next` is the position of the following page; undefined means that there is none. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly next: string | undefined
}

/** Cuts a page out of `limit + 1` rows, which is what a store reads to know whether more follow. */
export const toPage = <A>(rows: ReadonlyArray<A>, limit: number, idOf: (row: A) => string): Page<A> => {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next: rows.length > limit && last !== undefined ? idOf(last) : undefined }
}
