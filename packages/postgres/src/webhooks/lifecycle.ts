import type { EventId } from "@agent-platform/kernel"
import type { DeliveryStore } from "@agent-platform/webhooks"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { timestamp } from "../columns.ts"
import { voidingClaim } from "./claims.ts"

interface Marked {
  readonly marked: number
}

/** What happens to the deliveries of an endpoint as a whole: each method over an index of its own. */
export const lifecycle = (
  sql: SqlClient.SqlClient
): Pick<DeliveryStore["Service"], "markDead" | "replayPortion" | "countDue"> => ({
  // The claimed ones apart and without waiting: their attempts may be being settled, in another order, by somebody who
  // would then wait for this. Whoever settles a failure waits for the endpoint first, so what is locked has succeeded.
  markDead: (endpointId, reason) => {
    const dead = sql`state = 'dead', state_reason = ${reason}, next_attempt_at = null, due_at = null`
    const unclaimed = sql<Marked>`
      with marked as (
        update webhook_delivery set ${dead}
        where endpoint_id = ${endpointId} and state = 'pending' and claim_token is null
        returning 1
      )
      select count(*)::int as marked from marked
    `
    const claimed = sql<Marked>`
      with locked as materialized (
        select endpoint_id, event_id from webhook_delivery
        where endpoint_id = ${endpointId} and state = 'pending' for update skip locked
      ), marked as (
        update webhook_delivery delivery set ${dead}, ${voidingClaim(sql)}
        from locked
        where delivery.endpoint_id = locked.endpoint_id and delivery.event_id = locked.event_id
        returning 1
      )
      select count(*)::int as marked from marked
    `
    return Effect.orDie(
      Effect.zipWith(unclaimed, claimed, ([first], [second]) => (first?.marked ?? 0) + (second?.marked ?? 0))
    )
  },

  // What somebody else holds at this moment is being sent or replayed anyway.
  replayPortion: ({ after, before, deadOnly, endpointId, limit, now }) => {
    const at = timestamp(now)
    return sql<{ readonly event_id: EventId }>`
      with portion as materialized (
        select endpoint_id, event_id from webhook_delivery
        where endpoint_id = ${endpointId} and event_id > ${after} and event_id < ${before}
          ${deadOnly ? sql`and state = 'dead'` : sql.literal("")}
        order by event_id limit ${limit} for update skip locked
      ), replayed as (
        update webhook_delivery delivery set
          state = 'pending', state_reason = null, failures = 0, next_attempt_at = ${at}, due_at = ${at},
          delivered_at = null, ${voidingClaim(sql)}
        from portion
        where delivery.endpoint_id = portion.endpoint_id and delivery.event_id = portion.event_id
        returning delivery.event_id
      )
      select event_id from replayed order by event_id
    `.pipe(
      Effect.orDie,
      Effect.map((rows) => rows.map((row) => row.event_id))
    )
  },

  countDue: (endpointId, { max, now }) =>
    sql<{ readonly due: number }>`
      select count(*)::int as due from (
        select 1 from webhook_delivery
        where endpoint_id = ${endpointId} and state = 'pending' and due_at <= ${timestamp(now)} limit ${max}
      ) as waiting
    `.pipe(
      Effect.orDie,
      Effect.map(([row]) => row?.due ?? 0)
    )
})
