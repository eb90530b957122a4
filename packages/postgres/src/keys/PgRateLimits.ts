import { nanosPerRequest, RateLimits, readingOf } from "@agent-platform/keys"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

interface RateRow {
  readonly taken: boolean
  readonly nanos: string
}

/**
 * Counts of requests in the unlogged table `api_key_rate`, by the clock of Postgres: one statement a request, which does
 * what `takeRequest` says. The row's lock lets those who come at once take one after another; a refused request writes nothing.
 */
export const layer: Layer.Layer<RateLimits, never, SqlClient.SqlClient> = Layer.effect(
  RateLimits,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const now = sql.literal("(extract(epoch from statement_timestamp()) * 1000000000)::bigint")
    return RateLimits.of({
      take: ({ id, organizationId, rateLimit }) => {
        const step = nanosPerRequest(rateLimit)
        const bucket = step * BigInt(rateLimit.limit - 1)
        return sql<RateRow>`
          with taken as (
            insert into api_key_rate as rate (organization_id, key_id, request_limit, window_seconds, full_at_nanos)
            values (${organizationId}, ${id}, ${rateLimit.limit}, ${rateLimit.windowSeconds}, ${now} + ${step}::bigint)
            on conflict (organization_id, key_id) do update set
              request_limit = excluded.request_limit,
              window_seconds = excluded.window_seconds,
              full_at_nanos = case
                when rate.request_limit = excluded.request_limit and rate.window_seconds = excluded.window_seconds
                then greatest(rate.full_at_nanos + ${step}::bigint, excluded.full_at_nanos)
                else excluded.full_at_nanos
              end
            where rate.full_at_nanos <= ${now} + ${bucket}::bigint
              or rate.request_limit <> excluded.request_limit
              or rate.window_seconds <> excluded.window_seconds
            returning full_at_nanos
          )
          select true as taken, (full_at_nanos - ${now})::text as nanos from taken
          union all
          select false, (full_at_nanos - ${now})::text from api_key_rate
          where organization_id = ${organizationId} and key_id = ${id} and not exists (select from taken)
        `.pipe(
          Effect.orDie,
          // A refusal by what others took since this statement began does not show in what it reads: the bucket is empty then.
          Effect.map(([row]) => {
            const nanos = row === undefined ? bucket + step : BigInt(row.nanos)
            if (row?.taken === true) return readingOf(rateLimit, true, nanos)
            return readingOf(rateLimit, false, nanos > bucket ? nanos : bucket + 1n)
          })
        )
      }
    })
  })
)
