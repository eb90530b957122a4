import { ATTEMPTS_SHOWN_MAX, DeliveryRecords, type EndpointId } from "@agent-platform/webhooks"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { uuids } from "../columns.ts"
import {
  ATTEMPT_COLUMNS,
  type AttemptRow,
  DELIVERY_COLUMNS,
  type DeliveryRow,
  FIRST_ATTEMPT_COLUMNS,
  toAttempt,
  toDelivery
} from "./deliveryRow.ts"

/** Deliveries in `webhook_delivery`, with their first attempts, and all other attempts in `webhook_attempt`. */
export const layer: Layer.Layer<DeliveryRecords, never, SqlClient.SqlClient> = Layer.effect(
  DeliveryRecords,
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

    return DeliveryRecords.of({
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

      attempts: (endpointId, eventId) =>
        attemptsOf(endpointId, sql`${eventId}`).pipe(
          Effect.orDie,
          Effect.map((rows) => rows.map(toAttempt).reverse())
        )
    })
  })
)
