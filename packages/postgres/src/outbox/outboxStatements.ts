/** The statements of the table `event_outbox`. */
import type { EventId, TakenEvent } from "@agent-platform/kernel"
import type { SqlClient } from "effect/sql"
import { leaseEnd } from "../claims.ts"
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
      with take as materialized (select gen_random_uuid() as token)
      update agent_platform.event_outbox set
        taken_by = (select token from take), taken_until = ${leaseEnd(sql, leaseSeconds)},
        attempt = attempt + 1
      where ctid = any(array(
        select ctid from agent_platform.event_outbox where taken_until is null or taken_until <= now()
        order by event_id limit ${max} for update skip locked
      ))
      returning event_id as id, attempt, taken_by as token
    `,

    /**
     * Makes the next statement of the transaction use the index. A plan stays in use when its statistics are outdated, and an outbox
     * that was empty can be long a minute later.
     */
    byIndex: sql`select ${settings}`,

    /** As `byIndex`, before a take, which need not wait for the disk: if a crash undoes it, the event can be taken again. */
    beforeTake: sql`select ${settings}, set_config('synchronous_commit', 'off', true)`,

    complete: (events: ReadonlyArray<TakenEvent>) => sql<Named>`
      delete from agent_platform.event_outbox using ${given(events)} where ${isStillTaken} returning event_outbox.event_id as id
    `,

    release: (events: ReadonlyArray<TakenEvent>) => sql`
      update agent_platform.event_outbox set taken_by = null, taken_until = null from ${given(events)} where ${isStillTaken}
    `,

    oldest: sql<Named>`select event_id as id from agent_platform.event_outbox order by event_id limit 1`
  }
}
