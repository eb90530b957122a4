/** Erasing in memory: rows of a table that are meant, up to so many. */
import { Effect } from "effect"
import type { Transaction } from "../ports/UnitOfWork.ts"
import type { MemoryTable } from "./MemoryDatabase.ts"

/** How many rows are meant, up to `max`. */
export const countWhere = <Row>(
  table: MemoryTable<Row>,
  isMeant: (row: Row) => boolean,
  max: number
): Effect.Effect<number> => Effect.map(table.all, (rows) => Math.min(rows.filter(isMeant).length, max))

/** Removes up to `max` rows that are meant, or puts `changed` in their place, and answers how many they were. */
export const eraseWhere = <Row>(
  table: MemoryTable<Row>,
  keyOf: (row: Row) => string,
  isMeant: (row: Row) => boolean,
  max: number,
  changed?: (row: Row) => Row
): Effect.Effect<number, never, Transaction> =>
  Effect.gen(function* () {
    const rows = (yield* table.all).filter(isMeant).slice(0, max)
    for (const row of rows) {
      yield* changed === undefined ? table.remove(keyOf(row)) : table.put(keyOf(row), changed(row))
    }
    return rows.length
  })
