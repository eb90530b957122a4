/** Places in the ledger, in the order of the numbers of transactions. */
import { FIRST_ID } from "../columns.ts"

/** A place right after a row. */
export interface Place {
  /** The number of the transaction that wrote the row. */
  readonly mark: string
  /** The row's workspace, where ids are unique in a workspace only. */
  readonly owner: string
  readonly id: string
}

/** The place in a text; before everything when there is none. */
export const readPlace = (text: string | undefined): Place => {
  const [mark = "0", owner = FIRST_ID, id = FIRST_ID] = (text ?? "").split("/")
  return { mark: mark === "" ? "0" : mark, owner, id }
}

/** The place as text. */
export const writePlace = ({ id, mark, owner }: Place): string => `${mark}/${owner}/${id}`

/** The end of a batch, repeated in each of its rows. */
export interface BatchEnd {
  readonly batch_rows: number
  readonly last_mark: string
  readonly last_owner: string
  readonly last_id: string
}

/** The beginning of the next batch, and the mark up to which everything was read. */
export const endOf = (
  [row]: ReadonlyArray<BatchEnd>,
  { after, before, limit }: { readonly after: string | undefined; readonly before: bigint; readonly limit: number }
): { readonly next: string | undefined; readonly reached: bigint } => {
  if (row === undefined) return { next: after, reached: before }
  const next = writePlace({ mark: row.last_mark, owner: row.last_owner, id: row.last_id })
  return { next, reached: row.batch_rows < limit ? before : BigInt(row.last_mark) }
}
