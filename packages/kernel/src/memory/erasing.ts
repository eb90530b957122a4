/** Counting and erasing the rows of a memory table that match, up to a limit. */
import { Effect } from "effect"
import type { Transaction } from "../ports/UnitOfWork.ts"
import type { MemoryTable } from "./MemoryDatabase.ts"

/** How many rows match, up to `max`. */
export const countWhere = <Row>(
  table: MemoryTable<Row>,
  matches: (row: Row) => boolean,
  max: number
): Effect.Effect<number> => Effect.map(table.all, (rows) => Math.min(rows.filter(matches).length, max))

/** Removes up to `max` rows that match, or puts what `changed` makes of them in their place, and returns how many. */
export const eraseWhere = <Row>(
  table: MemoryTable<Row>,
  keyOf: (row: Row) => string,
  matches: (row: Row) => boolean,
  max: number,
  changed?: (row: Row) => Row
): Effect.Effect<number, never, Transaction> =>
  Effect.gen(function* () {
    const rows = (yield* table.all).filter(matches).slice(0, max)
    for (const row of rows) {
      yield* changed === undefined ? table.remove(keyOf(row)) : table.put(keyOf(row), changed(row))
    }
    return rows.length
  })
