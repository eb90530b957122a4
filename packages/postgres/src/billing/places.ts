/** Places in the ledger, in the order of the numbers of transactions. */

/** Sorts before every id. */
const FIRST = "00000000-0000-0000-0000-000000000000"

/** A place: right behind this row of this transaction. `owner` is the workspace whose row it is, where ids are its own. */
export interface Place {
  readonly mark: string
  readonly owner: string
  readonly id: string
}

/** The place in a text; before everything when there is none. */
export const readPlace = (text: string | undefined): Place => {
  const [mark = "0", owner = FIRST, id = FIRST] = (text ?? "").split("/")
  return { mark: mark === "" ? "0" : mark, owner, id }
}

/** The place as text. */
export const writePlace = ({ id, mark, owner }: Place): string => `${mark}/${owner}/${id}`

/** Where a batch ended, repeated in each of its rows. */
export interface BatchEnd {
  readonly batch_rows: number
  readonly last_mark: string
  readonly last_owner: string
  readonly last_id: string
}

/** Where the next batch begins, and up to which mark everything was read. */
export const endOf = (
  [row]: ReadonlyArray<BatchEnd>,
  { after, before, limit }: { readonly after: string | undefined; readonly before: bigint; readonly limit: number }
): { readonly next: string | undefined; readonly reached: bigint } => {
  if (row === undefined) return { next: after, reached: before }
  const next = writePlace({ mark: row.last_mark, owner: row.last_owner, id: row.last_id })
  return { next, reached: row.batch_rows < limit ? before : BigInt(row.last_mark) }
}
