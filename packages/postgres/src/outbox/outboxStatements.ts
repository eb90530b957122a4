/** The statements of the table `event_outbox`. */
import type { EventId, TakenEvent } from "@agent-platform/kernel"
import type { SqlClient } from "effect/sql"
import { uuids } from "../columns.ts"

interface Named {
  readonly id: EventId
}

export const outboxStatements = (sql: SqlClient.SqlClient) => {
  /** These events with their tokens: a row that another worker has taken since does not match. */
  const given = (events: ReadonlyArray<TakenEvent>) => {
    const [ids, tokens] = [events.map(({ id }) => id), events.map(({ token }) => token)]
    return sql`unnest(${uuids(ids)}, ${uuids(tokens)}) as given (event_id, taken_by)`
  }
  /** Settings under which the planner has no other choice than the index. */
  const settings = sql.literal(
    ["enable_sort", "enable_bitmapscan", "enable_seqscan", "enable_hashjoin", "enable_mergejoin"]
      .map((name) => `set_config('${name}', 'off', true)`)
      .join(", ")
  )
  const isStillTaken = sql`event_outbox.event_id = given.event_id and event_outbox.taken_by = given.taken_by`

  return {
    add: (ids: ReadonlyArray<EventId>) => sql`
      insert into agent_platform.event_outbox (event_id) select id from unnest(${uuids(ids)}) as id order by id
    `,

    /** Takes the oldest events that are free, for a number of seconds by the database's clock. */
    take: (max: number, leaseSeconds: number) => sql<TakenEvent>`
      select event_id as id, attempt, token from agent_platform.take_events(${max}::int, ${leaseSeconds}::float8)
      where event_id is not null
    `,

    /**
     * Makes the next statement of the transaction use the index. A plan stays in use when its statistics are outdated, and an outbox
     * that was empty can be long a minute later.
     */
    byIndex: sql`select ${settings}`,

    complete: (events: ReadonlyArray<TakenEvent>) => sql<Named>`
      delete from agent_platform.event_outbox using ${given(events)} where ${isStillTaken} returning event_outbox.event_id as id
    `,

    hold: (ids: ReadonlyArray<EventId>) => sql<Named>`
      select event_id as id from agent_platform.event_outbox where event_id = any(${uuids(ids)}) order by event_id for key share
    `,

    release: (events: ReadonlyArray<TakenEvent>) => sql`
      update agent_platform.event_outbox set taken_by = null, taken_until = null from ${given(events)} where ${isStillTaken}
    `,

    oldest: sql<Named>`select event_id as id from agent_platform.event_outbox order by event_id limit 1`
  }
}
