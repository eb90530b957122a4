import { limitedId, nanosPerRequest, RateLimits, readingOf } from "@agent-platform/keys"
import { Effect } from "effect"
import { layerSql } from "../layerSql.ts"

interface RateRow {
  readonly taken: boolean
  readonly nanos: string
}

/**
 * Counts of requests in the unlogged tables `api_key_rate` and `workspace_rate`, by the clock of Postgres: `takeRequests` in one
 * statement. Concurrent requests are serialized by the lock on the row, and each counts at the time at which it has the lock. A
 * refused request writes nothing.
 *
 * The bucket of a key or workspace is kept as `full_at_nanos`, the time at which it will be full again. Each request moves this time on
 * by `step`, and is refused where it would come to lie more than the whole limit ahead.
 */
export const layer = layerSql(RateLimits)((sql) => {
  const now = sql.literal("(extract(epoch from clock_timestamp()) * 1000000000)::bigint")
  const ofKeys = { table: sql.literal("agent_platform.api_key_rate"), column: sql.literal("key_id") }
  const ofWorkspaces = { table: sql.literal("agent_platform.workspace_rate"), column: sql.literal("workspace_id") }
  return {
    take: (limited, requests) => {
      const { organizationId, rateLimit } = limited
      const { column, table } = "id" in limited ? ofKeys : ofWorkspaces
      const id = limitedId(limited)
      const step = nanosPerRequest(rateLimit)
      const taking = step * BigInt(requests)
      const allowance = step * BigInt(rateLimit.limit - requests)
      return sql<RateRow>`
          with taken as (
            insert into ${table} as rate (organization_id, ${column}, request_limit, window_seconds, full_at_nanos)
            values (${organizationId}, ${id}, ${rateLimit.limit}, ${rateLimit.windowSeconds}, ${now} + ${taking}::bigint)
            on conflict (organization_id, ${column}) do update set
              request_limit = excluded.request_limit,
              window_seconds = excluded.window_seconds,
              full_at_nanos = case
                when rate.request_limit = excluded.request_limit and rate.window_seconds = excluded.window_seconds
                then greatest(rate.full_at_nanos, ${now}) + ${taking}::bigint
                else ${now} + ${taking}::bigint
              end
            where rate.full_at_nanos <= ${now} + ${allowance}::bigint
              or rate.request_limit <> excluded.request_limit
              or rate.window_seconds <> excluded.window_seconds
            returning greatest(full_at_nanos - ${now}, ${taking}::bigint) as nanos
          )
          select true as taken, nanos::text as nanos from taken
          union all
          select false, (full_at_nanos - ${now})::text from ${table}
          where organization_id = ${organizationId} and ${column} = ${id} and not exists (select from taken)
        `.pipe(
        Effect.orDie,
        // The state beside a refusal is read by the statement's snapshot, which may be older than what concurrent requests have taken.
        // Where it shows no row, the bucket counts as empty. Where it shows room for these requests, it counts as a nanosecond short.
        Effect.map(([row]) => {
          const nanos = row === undefined ? allowance + step : BigInt(row.nanos)
          if (row?.taken === true) return readingOf(rateLimit, true, nanos)
          return readingOf(rateLimit, false, nanos > allowance ? nanos : allowance + 1n)
        })
      )
    }
  }
})
