/**
 * Places in a feed that can be followed: rows in the order of the number of the transaction that wrote them, and then of their ids. Such
 * a feed ends before the oldest transaction that is still open, so nothing that is committed later comes before its end. An open
 * transaction that has written thus holds the feed back, in any database of the server. Transaction numbers begin anew when a dump is
 * restored elsewhere: rows from before it are not reached until the new server's numbers have passed theirs.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { FIRST_ID } from "./columns.ts"
import { mapRows } from "./mapRows.ts"

/**
 * The form of a place. A transaction's number has 64 bits, and this server's will never have twenty digits. None begins
 * with a zero: Postgres would read it as octal.
 */
const PLACE = /^(?:0|[1-9]\d{0,18})\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The place right after this row of this transaction. */
export const writeFeedPlace = (transaction: string, id: string): string => `${transaction}/${id}`

/** The transaction and the row of a place. */
export const readFeedPlace = (place: string): readonly [transaction: string, id: string] => {
  const [transaction = "0", id = FIRST_ID] = place.split("/")
  return [transaction, id]
}

/** The present end of feeds. */
export const feedEnd = (sql: SqlClient.SqlClient): Effect.Effect<string> =>
  sql<{ readonly transaction: string }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as transaction
  `.pipe(mapRows(([row]) => writeFeedPlace(row?.transaction ?? "0", FIRST_ID)))

/** Whether feeds have come to this place. */
export const hasReachedPlace = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, place: string) {
  if (!PLACE.test(place)) return false
  const [transaction] = readFeedPlace(place)
  const [row] = yield* Effect.orDie(sql<{ readonly reached: boolean }>`
    select ${transaction}::text::xid8 <= pg_snapshot_xmin(pg_current_snapshot()) as reached
  `)
  return row?.reached === true
})
