import { Signals } from "@agent-platform/kernel"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { SCHEMA } from "./connection.ts"

/**
 * Makes the jobs of lost holders due at once and wakes their workers. pg-boss's own monitor would do so together with
 * counting every row of its tables, once a minute or at that price more often; it waits for rows that are locked, and
 * would keep the jobs of all lost holders waiting behind one long transaction. This one leaves such rows out.
 */
export const sweep = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const signals = yield* Signals
  const job = sql.literal(`${SCHEMA}.job`)
  const found = yield* sql<{ readonly name: string }>`
    with lost as (
      select name, id from ${job}
      where state = 'active' and heartbeat_on + heartbeat_seconds * interval '1 second' < now()
      for update skip locked
    ), due as (
      update ${job} set state = 'retry', start_after = now(), heartbeat_on = null
      from lost where job.name = lost.name and job.id = lost.id
      returning job.name
    )
    select distinct name from due
  `
  yield* Effect.forEach(found, ({ name }) => signals.raise(name), { discard: true })
})
