/** What is asked of the tables `event_outbox` and `outbox_holder`. */
import type { EventId, TakenEvent } from "@agent-platform/kernel"
import type { SqlClient } from "effect/sql"
import { uuids } from "../columns.ts"

/** A holder without a sign of life for so long has lost its events. */
export const LOST_AFTER_SECONDS = 10

interface Named {
  readonly id: EventId
}

/** The statements. */
export const outboxStatements = (sql: SqlClient.SqlClient) => {
  const lostAfter = sql.literal(`interval '${LOST_AFTER_SECONDS} seconds'`)
  return {
    add: (ids: ReadonlyArray<EventId>) => sql`
      insert into event_outbox (event_id) select id from unnest(${uuids(ids)}) as id order by id
    `,

    /**
     * Takes what nobody holds, for a holder that shows life: its row is locked, so that nobody finds it lost meanwhile. Does not
     * wait for the disk: a take that a crash undoes is an event to be taken, and what ends it comes later.
     */
    take: (holder: string, max: number) => sql<TakenEvent>`
      with me as materialized (
        select from outbox_holder where id = ${holder} and seen_at > now() - ${lostAfter} for key share
      )
      update event_outbox set holder = ${holder}, attempt = attempt + 1
      where exists (select from me) and ctid = any(array(
        select ctid from event_outbox where holder is null order by event_id limit ${max} for update skip locked
      ))
      returning event_id as id, attempt, set_config('synchronous_commit', 'off', true)
    `,

    /**
     * What a statement needs in its transaction that must go by the index, however long the outbox has become since it was
     * planned: plans outlive the statistics by which they were right, and an outbox that was empty can be long a minute later.
     */
    byIndex: sql`
      select set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true),
        set_config('enable_seqscan', 'off', true)
    `,

    complete: (holder: string, ids: ReadonlyArray<EventId>) => sql<Named>`
      delete from event_outbox where event_id = any(${uuids(ids)}) and holder = ${holder} returning event_id as id
    `,

    release: (holder: string, ids: ReadonlyArray<EventId>) => sql`
      update event_outbox set holder = null where event_id = any(${uuids(ids)}) and holder = ${holder}
    `,

    /** Gives back what is the holder's and not among these. */
    releaseOthers: (holder: string, ids: ReadonlyArray<EventId>) => sql<Named>`
      update event_outbox set holder = null where holder = ${holder} and event_id <> all(${uuids(ids)})
      returning event_id as id
    `,

    oldest: sql<Named>`select event_id as id from event_outbox order by event_id limit 1`,

    register: sql<{ readonly id: string }>`
      insert into outbox_holder (id) values (gen_random_uuid()) returning id
    `,

    /** Answers nothing for a holder that has lost its events. */
    showLife: (holder: string) => sql<{ readonly id: string }>`
      update outbox_holder set seen_at = now() where id = ${holder} and seen_at > now() - ${lostAfter} returning id
    `,

    /** Whoever takes for one of them has its row locked, and is left for the next look. */
    lost: sql<{ readonly id: string }>`
      select id from outbox_holder where seen_at <= now() - ${lostAfter} for update skip locked
    `,

    /** Without what a transaction completes at this moment, which may last; its holder is lost again the next time. */
    releaseOf: (holders: ReadonlyArray<string>) => sql<Named>`
      update event_outbox set holder = null where ctid = any(array(
        select ctid from event_outbox where holder = any(${uuids(holders)}) for update skip locked
      ))
      returning event_id as id
    `,

    /** Forgets those of these holders who hold nothing. */
    forget: (holders: ReadonlyArray<string>) => sql`
      delete from outbox_holder
      where id = any(${uuids(holders)}) and not exists (select from event_outbox where holder = outbox_holder.id)
    `
  }
}
