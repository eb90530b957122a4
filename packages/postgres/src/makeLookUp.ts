/** Look-ups that many requests make at the same time, in one statement. */
import { makeBatcher } from "@agent-platform/toolkit"
import { Context, Effect, type Fiber } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

/** Which of the keys a row belongs to, as `with ordinality` counts them. */
export interface Placed {
  readonly place: bigint
}

/** How something is looked up. */
export interface LookUp<Key, Row, Found> {
  /** What tells keys apart: those with the same are looked up once. */
  readonly idOf: (key: Key) => string
  /** The rows of all these keys, each with the place of its key among them, counted from one. */
  readonly read: (keys: ReadonlyArray<Key>) => Effect.Effect<ReadonlyArray<Row & Placed>, SqlError>
  /** What a row says; those who asked for the same share it. */
  readonly toFound: (row: Row) => Found
}

/** All that are asked for in a turn go in one statement, and nothing waits for the statement of another turn. */
const ALL = { itemsMax: Number.POSITIVE_INFINITY, batchesMax: Number.POSITIVE_INFINITY }

/**
 * Looks one thing up, together with all that is looked up in the same turn of the runtime; undefined when there is no row.
 * The statement is sent after the last of them has asked, so each sees whatever was committed before it asked, and is given up
 * when all of them have. It belongs to no one's trace. What is looked up inside a transaction goes alone, over its connection.
 * Dies when the database refuses; of a row that cannot be read only those die who asked for it.
 *
 * `RequestResolver` would do it, too, but collects requests in sets that are used again and again: a set that was emptied
 * keeps what comes next alive for the collector of young objects, here every request that asked.
 */
export const makeLookUp = <Key, Row, Found>(
  sql: SqlClient.SqlClient,
  { idOf, read, toFound }: LookUp<Key, Row, Found>
): Effect.Effect<(key: Key) => Effect.Effect<Found | undefined>> => {
  /** What is found of each key is told when it is asked for, as it may be unreadable. */
  const readBatch = (keys: ReadonlyArray<Key>): Effect.Effect<ReadonlyArray<() => Found | undefined>> => {
    const known = new Map<string, number>()
    const distinct: Array<Key> = []
    const places = keys.map((key) => {
      const id = idOf(key)
      const place = known.get(id) ?? distinct.push(key)
      known.set(id, place)
      return place
    })
    return Effect.map(Effect.orDie(read(distinct)), (rows) => {
      const rowAt: Array<Row | undefined> = []
      for (const row of rows) rowAt[Number(row.place)] = row
      const foundAt: Array<Found | undefined> = []
      return places.map((place) => () => {
        const row = rowAt[place]
        if (row === undefined) return undefined
        foundAt[place] ??= toFound(row)
        return foundAt[place]
      })
    })
  }

  const alone = (key: Key) =>
    Effect.map(Effect.orDie(read([key])), ([row]) => (row === undefined ? undefined : toFound(row)))

  return Effect.map(
    makeBatcher({ ...ALL, runBatch: readBatch }),
    (readTogether) => (key) =>
      Effect.withFiber((fiber: Fiber.Fiber<unknown, unknown>) =>
        Context.getOrUndefined(fiber.context, sql.transactionService) === undefined
          ? Effect.map(readTogether(key), (found) => found())
          : alone(key)
      )
  )
}
