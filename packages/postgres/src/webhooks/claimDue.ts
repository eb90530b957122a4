import type { ClaimedDelivery, DeliveryStore } from "@agent-platform/webhooks"
import { DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { timestamp, uuids } from "../columns.ts"
import { claimToken } from "./claims.ts"
import { DELIVERY_COLUMNS, type DeliveryRow, toDelivery } from "./deliveryRow.ts"
import { type EndpointRow, toEndpoint } from "./endpointRow.ts"

/**
 * A claim of so many looks at that many times as many of the oldest due rows, and at least at so many: ranking 1,024 of
 * 50,000 costs 1.5 ms, all of them 70. A longer queue at one endpoint hides what is due later at others only until that
 * endpoint's lane is full and left out.
 */
const LOOKED_AT_PER_TAKEN = 8
const LOOKED_AT_MIN = 1024

/** Candidates beyond those that are taken, for the rows that other workers are claiming at this moment. */
const CANDIDATES_PER_TAKEN = 4

interface ClaimedRow extends DeliveryRow, Omit<EndpointRow, "id" | "created_at"> {
  readonly claim_token: string
  readonly endpoint_created_at: Date
  readonly body: string
}

const toClaimed = (row: ClaimedRow): ClaimedDelivery => ({
  delivery: toDelivery(row),
  claimToken: claimToken(row.endpoint_id, row.event_id, row.claim_token),
  endpoint: toEndpoint({ ...row, id: row.endpoint_id, created_at: row.endpoint_created_at }),
  body: row.body
})

/**
 * `DeliveryStore.claimDue` as one statement. `due` ranks rows within their endpoint and cannot lock them, so `picked` asks
 * again, on the rows as they are once locked, what another claim may have changed meanwhile.
 */
export const claimDue = (sql: SqlClient.SqlClient): DeliveryStore["Service"]["claimDue"] => {
  const deliveryColumns = sql.literal(DELIVERY_COLUMNS.map((name) => `claimed.${name}`).join(", "))
  return ({ except, leaseSeconds, max, now, perEndpoint }) => {
    const at = timestamp(now)
    const lookedAt = Math.max(LOOKED_AT_MIN, max * LOOKED_AT_PER_TAKEN)
    return sql<ClaimedRow>`
      with oldest as materialized (
        select endpoint_id, event_id, due_at from webhook_delivery
        where state = 'pending' and due_at <= ${at} and endpoint_id <> all(${uuids(except)})
        order by due_at limit ${lookedAt}
      ), due as materialized (
        select endpoint_id, event_id, due_at from (
          select endpoint_id, event_id, due_at,
            row_number() over (partition by endpoint_id order by due_at, event_id) as place
          from oldest
        ) as ranked
        where place <= ${perEndpoint} order by due_at, event_id limit ${max * CANDIDATES_PER_TAKEN}
      ), picked as materialized (
        select delivery.endpoint_id, delivery.event_id
        from due join webhook_delivery delivery using (endpoint_id, event_id)
        where delivery.state = 'pending' and delivery.due_at <= ${at}
        order by due.due_at, due.event_id limit ${max}
        for update of delivery skip locked
      ), claimed as (
        update webhook_delivery delivery
        set due_at = ${timestamp(DateTime.add(now, { seconds: leaseSeconds }))}, claim_token = gen_random_uuid()
        from picked
        where delivery.endpoint_id = picked.endpoint_id and delivery.event_id = picked.event_id
        returning delivery.*
      )
      select ${deliveryColumns}, claimed.claim_token, event.body, endpoint.url, endpoint.event_types,
        endpoint.description, endpoint.status, endpoint.disabled_reason, endpoint.sealed_secret,
        endpoint.retiring_secrets, endpoint.created_at as endpoint_created_at
      from claimed
      join webhook_endpoint endpoint on endpoint.organization_id = claimed.organization_id
        and endpoint.id = claimed.endpoint_id
      join event on event.id = claimed.event_id
      order by claimed.next_attempt_at, claimed.event_id
    `.pipe(
      Effect.orDie,
      Effect.map((rows) => rows.map(toClaimed))
    )
  }
}
