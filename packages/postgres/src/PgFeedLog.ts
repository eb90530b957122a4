import { FeedLog, NOTICES_POSTED, Signals } from "@agent-platform/kernel"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { integers, texts, timestamps, uuids } from "./columns.ts"
import { ACTIVITY_COLUMNS, ACTIVITY_VALUES, activityArrays, TALLY_LOCK } from "./feeds/activityRow.ts"
import { posted } from "./pipelined.ts"

/** The feed log in the tables `activity` and `notification`. */
export const layer: Layer.Layer<FeedLog, never, SqlClient.SqlClient | Signals> = Layer.effect(
  FeedLog,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals
    const columns = sql.literal(ACTIVITY_COLUMNS)
    const values = sql.literal(ACTIVITY_VALUES)
    return FeedLog.of({
      record: (...entries) =>
        posted(
          sql,
          sql`
            insert into activity (${columns})
            select ${values} from unnest(${activityArrays(sql, entries)}) as entry (${columns})
          `
        ).pipe(Effect.orDie),
      // In one order, so that no two who tally the same keys wait for each other.
      tally: (...tallies) =>
        Effect.andThen(
          posted(sql, sql`select pg_advisory_xact_lock_shared(${sql.literal(TALLY_LOCK)})`),
          posted(
            sql,
            sql`
              insert into activity (${columns}, tallied_as, tallied_until)
              select ${values} || jsonb_build_object('count', count), key,
                date_bin('1 minute', clock_timestamp(), 'epoch') + interval '1 minute'
              from unnest(
                ${activityArrays(
                  sql,
                  tallies.map(({ entry }) => entry)
                )},
                ${texts(tallies.map(({ key }) => key))}, ${integers(tallies.map(({ count }) => count))}
              ) as entry (${columns}, key, count)
              order by organization_id, key
              on conflict (organization_id, tallied_as, tallied_until) where tallied_as is not null do update set
                summary = excluded.summary,
                payload = excluded.payload || jsonb_build_object(
                  'count', (activity.payload->>'count')::bigint + (excluded.payload->>'count')::bigint
                )
            `
          )
        ).pipe(Effect.orDie),
      notify: (...notices) =>
        posted(
          sql,
          sql`
          insert into notification (organization_id, workspace_id, id, type, title, body, payload, created_at)
          select organization_id, workspace_id, id, type, title, body, payload::jsonb, created_at
          from unnest(
            ${uuids(notices.map((notice) => notice.organizationId))},
            ${texts(notices.map((notice) => notice.workspaceId))}::uuid[],
            ${uuids(notices.map((notice) => notice.id))},
            ${texts(notices.map((notice) => notice.type))},
            ${texts(notices.map((notice) => notice.title))},
            ${texts(notices.map((notice) => notice.body))},
            ${texts(notices.map((notice) => JSON.stringify(notice.payload)))},
            ${timestamps(notices.map((notice) => notice.createdAt))}
          ) as notice (organization_id, workspace_id, id, type, title, body, payload, created_at)
        `
        ).pipe(Effect.orDie, Effect.andThen(signals.raise(NOTICES_POSTED)))
    })
  })
)
