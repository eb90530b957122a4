import { type ActivityTally, FeedLog, NOTICES_POSTED, Signals } from "@agent-platform/kernel"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { integer, text } from "./columnTypes.ts"
import { activityTable, TALLY_LOCK } from "./feeds/activityTable.ts"
import { closingTable, notificationTable } from "./feeds/notificationTable.ts"
import { posted } from "./pipelined.ts"

const talliedTable = activityTable.with<Pick<ActivityTally, "key" | "count">>({ key: text(), count: integer() })

/** The feed log in the tables `activity` and `notification`. */
export const layer: Layer.Layer<FeedLog, never, SqlClient.SqlClient | Signals> = Layer.effect(
  FeedLog,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals
    const names = sql.literal(activityTable.names)
    // The payload of a tally is put together in the statement, with its count.
    const unchanged = sql.literal(activityTable.omit("payload").names)
    return FeedLog.of({
      record: (...entries) =>
        posted(sql, sql`insert into agent_platform.activity (${names}) ${activityTable.rowsOf(entries)}`).pipe(
          Effect.orDie
        ),
      // An entry that counts for this minute already gets a higher count; its text is replaced, too. Rows are written in the order of
      // their keys, so that two transactions that tally the same keys cannot deadlock. The shared lock lasts until the commit, so that an
      // export can wait for all tallies of a minute.
      tally: (...tallies) =>
        Effect.andThen(
          posted(sql, sql`select pg_advisory_xact_lock_shared(${sql.literal(TALLY_LOCK)})`),
          posted(
            sql,
            sql`
              insert into agent_platform.activity (${unchanged}, payload, tallied_as, tallied_until)
              select ${unchanged}, (payload::jsonb || jsonb_build_object('count', count))::json, key,
                date_bin('1 minute', clock_timestamp(), 'epoch') + interval '1 minute'
              from (${talliedTable.rowsOf(tallies.map(({ entry, ...tally }) => ({ ...entry, ...tally })))}) as entry
              order by organization_id, key
              on conflict (organization_id, tallied_as, tallied_until) where tallied_as is not null do update set
                summary = excluded.summary,
                payload = (excluded.payload::jsonb || jsonb_build_object(
                  'count', (activity.payload->>'count')::bigint + (excluded.payload->>'count')::bigint
                ))::json
            `
          )
        ).pipe(Effect.orDie),
      notify: (...notices) =>
        posted(
          sql,
          sql`
            insert into agent_platform.notification (${sql.literal(notificationTable.names)}) ${notificationTable.rowsOf(notices)}
          `
        ).pipe(Effect.orDie, Effect.andThen(signals.raise(NOTICES_POSTED))),
      close: (...closings) =>
        posted(
          sql,
          sql`
            insert into agent_platform.notification_closing (${sql.literal(closingTable.names)}) ${closingTable.rowsOf(closings)}
          `
        ).pipe(Effect.orDie)
    })
  })
)
