import { Effect } from "effect"
import type { Transaction } from "../ports/UnitOfWork.ts"
import type { MemoryTable } from "./MemoryDatabase.ts"

interface Taken<Id extends string> {
  readonly id: Id
  readonly attempt: number
}

type Rows<Row> = Pick<MemoryTable<Row>, "get" | "remove">

/** The row of what was taken, while that is still the attempt under way. */
export const heldRow = <Row extends { readonly attempt: number; readonly taken: boolean }>(
  rows: Pick<Rows<Row>, "get">,
  { attempt, id }: Taken<string>
): Effect.Effect<Row | undefined> =>
  Effect.map(rows.get(id), (row) => (row?.taken === true && row.attempt === attempt ? row : undefined))

/** Removes what is still held, and answers the ids of that. */
export const removeHeld = Effect.fnUntraced(function* <
  Row extends { readonly attempt: number; readonly taken: boolean },
  Id extends string
>(rows: Rows<Row>, taken: ReadonlyArray<Taken<Id>>): Effect.fn.Return<ReadonlySet<Id>, never, Transaction> {
  const removed = new Set<Id>()
  for (const one of taken) {
    if ((yield* heldRow(rows, one)) === undefined) continue
    yield* rows.remove(one.id)
    removed.add(one.id)
  }
  return removed
})
