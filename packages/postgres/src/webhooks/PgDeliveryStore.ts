import { ATTEMPTS_SHOWN_MAX, type Delivery, DeliveryStore } from "@agent-platform/webhooks"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { integers, readTimestamp, texts, timestamp, timestamps, uuids } from "../columns.ts"
import { claimDue } from "./claimDue.ts"
import { claimColumns } from "./claims.ts"
import {
  ATTEMPT_COLUMNS,
  type AttemptRow,
  DELIVERY_COLUMNS,
  type DeliveryRow,
  toAttempt,
  toDelivery
} from "./deliveryRow.ts"
import { lifecycle } from "./lifecycle.ts"
import { settle } from "./settle.ts"

/** Deliveries and their attempts in `webhook_delivery` and `webhook_attempt`. */
export const layer: Layer.Layer<DeliveryStore, never, SqlClient.SqlClient> = Layer.effect(
  DeliveryStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql.literal(DELIVERY_COLUMNS.join(", "))
    const attemptColumns = sql.literal(ATTEMPT_COLUMNS)

    const insert = (deliveries: ReadonlyArray<Delivery>) => {
      const nextAttempts = timestamps(deliveries.map((delivery) => delivery.nextAttemptAt))
      return sql`
        insert into webhook_delivery (${columns}, due_at)
        select * from unnest(
          ${uuids(deliveries.map((delivery) => delivery.endpointId))},
          ${uuids(deliveries.map((delivery) => delivery.eventId))},
          ${uuids(deliveries.map((delivery) => delivery.organizationId))},
          ${texts(deliveries.map((delivery) => delivery.eventType))},
          ${texts(deliveries.map((delivery) => delivery.state))},
          ${texts(deliveries.map((delivery) => delivery.stateReason))},
          ${integers(deliveries.map((delivery) => delivery.attemptCount))},
          ${integers(deliveries.map((delivery) => delivery.failures))},
          ${nextAttempts},
          ${timestamps(deliveries.map((delivery) => delivery.createdAt))},
          ${timestamps(deliveries.map((delivery) => delivery.deliveredAt))},
          ${nextAttempts}
        )
        on conflict (endpoint_id, event_id) do nothing
      `
    }

    return DeliveryStore.of({
      insert: (deliveries) => (deliveries.length === 0 ? Effect.void : Effect.asVoid(Effect.orDie(insert(deliveries)))),

      claimDue: claimDue(sql),
      settle: settle(sql),

      // A claim whose row is locked is being settled, and needs no renewal; waiting for it would hold up the others.
      renew: (claimTokens, { leaseSeconds, now }) => {
        const claims = claimColumns(claimTokens)
        return sql`
          with held as (
            select endpoint_id, event_id from webhook_delivery
            join unnest(${claims.endpointIds}, ${claims.eventIds}, ${claims.secrets})
              as claim (endpoint_id, event_id, claim_token) using (endpoint_id, event_id, claim_token)
            for update of webhook_delivery skip locked
          )
          update webhook_delivery set due_at = ${timestamp(DateTime.add(now, { seconds: leaseSeconds }))}
          from held
          where webhook_delivery.endpoint_id = held.endpoint_id and webhook_delivery.event_id = held.event_id
        `.pipe(Effect.orDie, Effect.asVoid)
      },

      release: (claimTokens) => {
        const claims = claimColumns(claimTokens)
        return sql`
          update webhook_delivery set due_at = next_attempt_at, claim_token = null
          from unnest(${claims.endpointIds}, ${claims.eventIds}, ${claims.secrets})
            as claim (endpoint_id, event_id, claim_token)
          where webhook_delivery.endpoint_id = claim.endpoint_id and webhook_delivery.event_id = claim.event_id
            and webhook_delivery.claim_token = claim.claim_token
        `.pipe(Effect.orDie, Effect.asVoid)
      },

      find: (endpointId, eventId) =>
        sql<DeliveryRow>`
          select ${columns} from webhook_delivery where endpoint_id = ${endpointId} and event_id = ${eventId}
        `.pipe(
          Effect.orDie,
          Effect.map(([row]) => row && toDelivery(row))
        ),

      recent: Effect.fnUntraced(function* (endpointId, limit) {
        // Ids of events are UUIDv7: their order is that of time.
        const rows = yield* Effect.orDie(sql<DeliveryRow>`
          select ${columns} from webhook_delivery where endpoint_id = ${endpointId}
          order by event_id desc limit ${limit}
        `)
        if (rows.length === 0) return []
        const attempts = yield* Effect.orDie(sql<AttemptRow>`
          select attempt.* from unnest(${uuids(rows.map((row) => row.event_id))}) as listed (event_id)
          cross join lateral (
            select ${attemptColumns} from webhook_attempt
            where endpoint_id = ${endpointId} and event_id = listed.event_id
            order by number desc limit ${ATTEMPTS_SHOWN_MAX}
          ) as attempt
          order by attempt.event_id, attempt.number
        `)
        const byEvent = Map.groupBy(attempts, (attempt) => attempt.event_id)
        return rows.map((row) => ({
          delivery: toDelivery(row),
          attempts: (byEvent.get(row.event_id) ?? []).map(toAttempt)
        }))
      }),

      update: Effect.fnUntraced(function* (endpointId, eventId, change) {
        const [row] = yield* Effect.orDie(sql<DeliveryRow>`
          select ${columns} from webhook_delivery
          where endpoint_id = ${endpointId} and event_id = ${eventId} for update
        `)
        if (row === undefined) return undefined
        const changed = change(toDelivery(row))
        const nextAttemptAt = changed.nextAttemptAt && timestamp(changed.nextAttemptAt)
        yield* Effect.orDie(sql`
          update webhook_delivery set
            state = ${changed.state}, state_reason = ${changed.stateReason}, attempt_count = ${changed.attemptCount},
            failures = ${changed.failures}, next_attempt_at = ${nextAttemptAt}, due_at = ${nextAttemptAt},
            delivered_at = ${changed.deliveredAt && timestamp(changed.deliveredAt)}, claim_token = null
          where endpoint_id = ${endpointId} and event_id = ${eventId}
        `)
        return changed
      }),

      nextDueAt: sql<{ readonly due_at: Date }>`
        select due_at from webhook_delivery where state = 'pending' order by due_at limit 1
      `.pipe(
        Effect.orDie,
        Effect.map(([row]) => row && readTimestamp(row.due_at))
      ),

      attempts: (endpointId, eventId) =>
        sql<AttemptRow>`
          select ${attemptColumns} from webhook_attempt
          where endpoint_id = ${endpointId} and event_id = ${eventId} order by number desc limit ${ATTEMPTS_SHOWN_MAX}
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => rows.map(toAttempt).reverse())
        ),

      ...lifecycle(sql)
    })
  })
)
