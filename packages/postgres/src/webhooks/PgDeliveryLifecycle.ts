import { DeliveryLifecycle } from "@agent-platform/webhooks"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { timestamp } from "../columns.ts"
import { voidingClaim } from "./claims.ts"
import { DELIVERY_COLUMNS, type DeliveryRow, toDelivery } from "./deliveryRow.ts"

interface Marked {
  readonly marked: number
}

/** Changes of rows of `webhook_delivery`, which void the claims on them. */
export const layer: Layer.Layer<DeliveryLifecycle, never, SqlClient.SqlClient> = Layer.effect(
  DeliveryLifecycle,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql.literal(DELIVERY_COLUMNS.join(", "))
    return DeliveryLifecycle.of({
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

      // The claimed ones apart and without waiting: their attempts may be being settled, in another order, by somebody who
      // would then wait for this. A failure is settled after waiting for the endpoint, so what is locked has succeeded.
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
      }
    })
  })
)
