import type { EventId } from "@agent-platform/kernel"
import { DeliveryReplays } from "@agent-platform/webhooks"
import { timestamp } from "../columns.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import { voidingClaim } from "./claims.ts"

/** Ranges of the rows of `webhook_delivery` of one endpoint: each method over an index of its own. */
export const layer = layerSql(DeliveryReplays)((sql) => ({
  // Writes what `Delivery.replayed` says: `next_attempt_at` is shown, `due_at` is when it can be claimed. A locked delivery is being
  // sent or replayed anyway, so it is skipped. `portion` is materialized because a row that is changed is not in the range any more.
  replayPortion: ({ after, before, deadOnly, endpointId, limit, now }) => {
    const at = timestamp(now)
    return sql<{ readonly event_id: EventId }>`
      with portion as materialized (
        select endpoint_id, event_id from agent_platform.webhook_delivery
        where endpoint_id = ${endpointId} and event_id > ${after} and event_id < ${before}
          ${deadOnly ? sql`and state = 'dead'` : sql.literal("")}
        order by event_id limit ${limit} for update skip locked
      ), replayed as (
        update agent_platform.webhook_delivery delivery set
          state = 'pending', state_reason = null, failures = 0, next_attempt_at = ${at}, due_at = ${at},
          delivered_at = null, ${voidingClaim(sql)}
        from portion
        where delivery.endpoint_id = portion.endpoint_id and delivery.event_id = portion.event_id
        returning delivery.event_id
      )
      select event_id from replayed order by event_id
    `.pipe(mapRows((rows) => rows.map((row) => row.event_id)))
  },

  countDue: (endpointId, { max, now }) =>
    sql<{ readonly due: number }>`
      select count(*)::int as due from (
        select 1 from agent_platform.webhook_delivery
        where endpoint_id = ${endpointId} and state = 'pending' and due_at <= ${timestamp(now)} limit ${max}
      ) as waiting
    `.pipe(mapRows(([row]) => row?.due ?? 0))
}))
