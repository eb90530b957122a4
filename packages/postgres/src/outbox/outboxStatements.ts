/** What is asked of the tables `event_outbox` and `outbox_holder`. */
import type { EventId, TakenEvent } from "@agent-platform/kernel"
import type { SqlClient } from "effect/sql"
import { uuids } from "../columns.ts"

/** A holder without a sign of life for so long may be found lost. */
export const LOST_AFTER_SECONDS = 10

/** A transaction of ours that is left open by its process ends after so long, and with it what it has locked. */
const IDLE_SECONDS = 5

interface Named {
  readonly id: EventId
}

interface Holder {
  readonly id: string
}

interface LiveHolder extends Holder {
  readonly seenAt: Date
}

/** The statements. */
export const outboxStatements = (sql: SqlClient.SqlClient) => {
  const bounded = sql.literal(`set_config('idle_in_transaction_session_timeout', '${IDLE_SECONDS}s', true)`)
  return {
    add: (ids: ReadonlyArray<EventId>) => sql`
      insert into event_outbox (event_id) select id from unnest(${uuids(ids)}) as id order by id
    `,

    /**
     * Takes what nobody holds, for a holder that is not lost. Its row is locked against being forgotten, and not against being
     * marked: what is taken at the same moment is found by the next look. Does not wait for the disk: a take that a crash undoes is
     * an event to be taken, and what ends it comes later.
     */
    take: (holder: string, max: number) => sql<TakenEvent>`
      with me as materialized (
        select set_config('synchronous_commit', 'off', true) from outbox_holder
        where id = ${holder} and not is_lost for key share
      )
      update event_outbox set holder = ${holder}, attempt = attempt + 1
      where exists (select from me) and ctid = any(array(
        select ctid from event_outbox where holder is null order by event_id limit ${max} for update skip locked
      ))
      returning event_id as id, attempt
    `,

    /**
     * What goes before a statement in its transaction that must go by the index, however long the outbox has become since it was
     * planned: plans outlive the statistics by which they were right, and an outbox that was empty can be long a minute later. And
     * a process that is frozen inside of the transaction does not keep what it locked.
     */
    byIndex: sql`
      select set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true),
        set_config('enable_seqscan', 'off', true), ${bounded}
    `,

    /** What every other transaction of ours begins with, for the same. */
    bounded: sql`select ${bounded}`,

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

    register: sql<LiveHolder>`
      insert into outbox_holder (id) values (gen_random_uuid()) returning id, seen_at as "seenAt"
    `,

    /** Answers nothing for a holder that was found lost. */
    showLife: (holder: string) => sql<LiveHolder>`
      update outbox_holder set seen_at = now() where id = ${holder} and not is_lost returning id, seen_at as "seenAt"
    `,

    /**
     * Marks who has been silent, and answers all who are marked: they stay until nothing is theirs any more. Marks nobody when it
     * arrives more than `judgesFor` seconds after the judge's last sign of life, by the database's clock.
     */
    lost: (judgeSeenAt: Date, judgesFor: number) => sql<Holder>`
      with silent as (
        update outbox_holder set is_lost = true
        where id in (
          select id from outbox_holder
          where not is_lost and seen_at <= now() - ${sql.literal(`interval '${LOST_AFTER_SECONDS} seconds'`)}
            and now() <= ${judgeSeenAt}::timestamptz + ${judgesFor}::float8 * interval '1 second'
          for no key update skip locked
        )
        returning id
      )
      select id from silent union select id from outbox_holder where is_lost
    `,

    /** Without what a transaction completes or takes at this moment, which may last: it is found by the next look. */
    releaseOf: (holders: ReadonlyArray<string>) => sql<Named>`
      update event_outbox set holder = null where ctid = any(array(
        select ctid from event_outbox where holder = any(${uuids(holders)}) for update skip locked
      ))
      returning event_id as id
    `,

    /** Locks those of these holders for whom nothing is being taken. What is forgotten is looked at after that. */
    lockIdle: (holders: ReadonlyArray<string>) => sql<Holder>`
      select id from outbox_holder where id = any(${uuids(holders)}) for update skip locked
    `,

    /** Forgets those of these holders who hold nothing. */
    forget: (holders: ReadonlyArray<string>) => sql`
      delete from outbox_holder
      where id = any(${uuids(holders)}) and not exists (select from event_outbox where holder = outbox_holder.id)
    `
  }
}
