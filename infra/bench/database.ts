import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"

/** Asks a database once, over a connection of its own. */
export const ask = <Row extends object>(url: string, statement: string): Promise<ReadonlyArray<Row>> =>
  Effect.runPromise(
    PgClient.makeClient({ url: Redacted.make(url) }).pipe(
      Effect.flatMap((sql) => sql.unsafe<Row>(statement)),
      Effect.scoped,
      Effect.provide(Reactivity.layer)
    )
  )

/** Asks until the count of a statement, in its column `count`, is 0. */
export const untilNone = async (url: string, statement: string): Promise<void> => {
  while (true) {
    const [row] = await ask<{ readonly count: number }>(url, statement)
    if (row?.count === 0) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
