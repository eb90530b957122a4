/** Look-ups that many requests make at the same time, in one statement. */
import { Context, Effect, Exit } from "effect"
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
  /** What a row says; all who asked for it share it. */
  readonly toFound: (row: Row) => Found
}

interface Asked<Key, Found> {
  readonly key: Key
  readonly answer: (exit: Exit.Exit<Found | undefined>) => void
}

/**
 * Looks one thing up, together with all that is looked up in the same turn of the runtime; undefined when there is no row.
 * The statement is sent after the last of them has asked, so each sees whatever was committed before it asked. What is
 * looked up inside a transaction goes alone, over its connection. Dies when the database refuses.
 *
 * `RequestResolver` would do it, too, but collects requests in sets that are used again and again: a set that was emptied
 * keeps what comes next alive for the collector of young objects, here every request that asked.
 */
export const makeLookUp = <Key, Row, Found>(
  sql: SqlClient.SqlClient,
  { idOf, read, toFound }: LookUp<Key, Row, Found>
): ((key: Key) => Effect.Effect<Found | undefined>) => {
  /** Who has asked in this turn; the first of them sends the statement when it is over. */
  let asking: Array<Asked<Key, Found>> | undefined

  const ask = (asked: ReadonlyArray<Asked<Key, Found>>) => {
    const places = new Map<string, number>()
    const keys: Array<Key> = []
    for (const { key } of asked) if (!places.has(idOf(key))) places.set(idOf(key), keys.push(key))
    return Effect.map(Effect.orDie(read(keys)), (rows) => {
      const found = new Map(rows.map((row) => [Number(row.place), toFound(row)]))
      return (key: Key) => found.get(places.get(idOf(key)) ?? 0)
    })
  }

  const askTogether = Effect.suspend(() => {
    const asked = asking ?? []
    asking = undefined
    return Effect.matchCause(ask(asked), {
      onFailure: (cause) => {
        for (const { answer } of asked) answer(Exit.failCause(cause))
      },
      onSuccess: (foundOf) => {
        for (const { answer, key } of asked) answer(Exit.succeed(foundOf(key)))
      }
    })
  })

  const join = (key: Key) =>
    Effect.callback<Found | undefined>((resume) => {
      const one = { key, answer: resume }
      if (asking !== undefined) {
        asking.push(one)
        return
      }
      asking = [one]
      // Of nobody's context: the statement is everybody's, and goes on when who asked first has given up.
      Effect.runFork(Effect.andThen(Effect.yieldNow, askTogether))
    })

  const alone = (key: Key) =>
    Effect.map(Effect.orDie(read([key])), ([row]) => (row === undefined ? undefined : toFound(row)))

  return (key) =>
    Effect.withFiber(({ context }) =>
      Context.getOrUndefined(context, sql.transactionService) === undefined ? join(key) : alone(key)
    )
}
