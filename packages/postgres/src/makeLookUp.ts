/** Look-ups that many requests make at the same time, in one statement. */
import { makeBatcher } from "@agent-platform/toolkit"
import { Context, Effect, type Fiber } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

/** A row with the place of its key among those asked for, as `with ordinality` counts them. */
export interface Placed {
  readonly place: bigint
}

/** How something is looked up. */
export interface LookUp<Key, Row, Found> {
  /** Tells keys apart: those with the same id are looked up once. */
  readonly idOf: (key: Key) => string
  /** The rows of all these keys, each with the place of its key among them, counted from one. */
  readonly read: (keys: ReadonlyArray<Key>) => Effect.Effect<ReadonlyArray<Row & Placed>, SqlError>
  /** The value in a row, shared by all who asked for the same key. */
  readonly toFound: (row: Row) => Found
}

/** A batch has no upper bound and never waits for the batch before it. */
const ALL = { itemsMax: Number.POSITIVE_INFINITY, batchesMax: Number.POSITIVE_INFINITY }

/**
 * Looks a key up, batched with all other look-ups of the same turn of the event loop; undefined when there is no row. The
 * statement is sent after the last of them, so each sees everything that was committed before it asked. Inside a transaction a
 * look-up goes alone, over that connection. The statement is cancelled once nobody waits for it. Dies when the database refuses.
 *
 * It is not a `RequestResolver` of Effect, which reuses its sets of requests and so keeps each in memory longer than it takes.
 */
export const makeLookUp = <Key, Row, Found>(
  sql: SqlClient.SqlClient,
  { idOf, read, toFound }: LookUp<Key, Row, Found>
): Effect.Effect<(key: Key) => Effect.Effect<Found | undefined>> => {
  /** A row is decoded only when its value is read, so that an unreadable row fails only the look-ups of its key. */
  const readBatch = (keys: ReadonlyArray<Key>): Effect.Effect<ReadonlyArray<() => Found | undefined>> => {
    const known = new Map<string, number>()
    const distinct: Array<Key> = []
    const places = keys.map((key) => {
      const id = idOf(key)
      // `push` returns the new length, which is the key's place counted from one.
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
