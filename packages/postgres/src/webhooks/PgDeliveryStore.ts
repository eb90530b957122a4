import { ATTEMPTS_SHOWN_MAX, DeliveryStore, type EndpointId } from "@agent-platform/webhooks"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { timestamp, uuids } from "../columns.ts"
import { claimDue } from "./claimDue.ts"
import { claimColumns, voidingClaim } from "./claims.ts"
import { deliveryInserts } from "./deliveryInserts.ts"
import {
  ATTEMPT_COLUMNS,
  type AttemptRow,
  DELIVERY_COLUMNS,
  type DeliveryRow,
  FIRST_ATTEMPT_COLUMNS,
  toAttempt,
  toDelivery
} from "./deliveryRow.ts"
import { endpointHealth } from "./endpointHealth.ts"
import { lifecycle } from "./lifecycle.ts"
import { settle } from "./settle.ts"

/** Deliveries in `webhook_delivery`, with their first attempts, and all other attempts in `webhook_attempt`. */
export const layer: Layer.Layer<DeliveryStore, never, SqlClient.SqlClient> = Layer.effect(
  DeliveryStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql.literal(DELIVERY_COLUMNS.join(", "))

    /** The newest of one delivery, newest first, wherever they lie. */
    const attemptsOf = (endpointId: EndpointId, eventId: Fragment) => sql<AttemptRow>`
      select ${sql.literal(ATTEMPT_COLUMNS)} from webhook_attempt
      where endpoint_id = ${endpointId} and event_id = ${eventId}
      union all
      select event_id, 1, ${sql.literal(FIRST_ATTEMPT_COLUMNS)} from webhook_delivery
      where endpoint_id = ${endpointId} and event_id = ${eventId} and first_attempted_at is not null
      order by number desc limit ${ATTEMPTS_SHOWN_MAX}
    `

    return DeliveryStore.of({
      ...deliveryInserts(sql),
      ...endpointHealth(sql),
      ...lifecycle(sql),

      claimDue: claimDue(sql),
      settle: settle(sql),

      // A claim whose row is locked is being settled, and needs no renewal; waiting for it would hold up the others.
      renew: (claimTokens, leaseSeconds) => {
        const claims = claimColumns(claimTokens)
        return sql`
          with held as (
            select endpoint_id, event_id from webhook_delivery
            join unnest(${claims.endpointIds}, ${claims.eventIds}, ${claims.secrets})
              as claim (endpoint_id, event_id, claim_token) using (endpoint_id, event_id, claim_token)
            for update of webhook_delivery skip locked
          )
          update webhook_delivery set due_at = now() + ${leaseSeconds}::float8 * interval '1 second'
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
            ${attemptsOf(endpointId, sql`listed.event_id`)}
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
            delivered_at = ${changed.deliveredAt && timestamp(changed.deliveredAt)},
            ${voidingClaim(sql)}
          where endpoint_id = ${endpointId} and event_id = ${eventId}
        `)
        return changed
      }),

      millisUntilDue: sql<{ readonly millis: number }>`
        select (extract(epoch from due_at - now()) * 1000)::float8 as millis from webhook_delivery
        where state = 'pending' order by due_at limit 1
      `.pipe(
        Effect.orDie,
        Effect.map(([row]) => row?.millis)
      ),

      attempts: (endpointId, eventId) =>
        attemptsOf(endpointId, sql`${eventId}`).pipe(
          Effect.orDie,
          Effect.map((rows) => rows.map(toAttempt).reverse())
        )
    })
  })
)
