import type { EventId } from "@agent-platform/kernel"
import { ATTEMPTS_SHOWN_MAX, DeliveryRecords, type EndpointId } from "@agent-platform/webhooks"
import { Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { uuids } from "../columns.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import { attemptedTable, attemptTable, deliveryTable } from "./deliveryTable.ts"

const firstAttemptTable = attemptedTable.pick("attempt")

interface AttemptRow extends Row {
  readonly event_id: EventId
}

/** Deliveries in `webhook_delivery`, with their first attempts, and all other attempts in `webhook_attempt`. */
export const layer = layerSql(DeliveryRecords)((sql) => {
  const columns = sql.literal(deliveryTable.selected)
  const attemptColumns = sql.literal(attemptTable.names)
  const firstAttemptColumns = sql.literal(firstAttemptTable.names)

  /** The newest of one delivery, newest first, wherever they lie. */
  const attemptsOf = (endpointId: EndpointId, eventId: Fragment) => sql<AttemptRow>`
      select event_id, ${attemptColumns} from agent_platform.webhook_attempt
      where endpoint_id = ${endpointId} and event_id = ${eventId}
      union all
      select event_id, 1, ${firstAttemptColumns} from agent_platform.webhook_delivery
      where endpoint_id = ${endpointId} and event_id = ${eventId} and first_attempted_at is not null
      order by number desc limit ${ATTEMPTS_SHOWN_MAX}
    `

  return {
    find: (endpointId, eventId) =>
      sql<Row>`
          select ${columns} from agent_platform.webhook_delivery where endpoint_id = ${endpointId} and event_id = ${eventId}
        `.pipe(mapRows(deliveryTable.readFirst)),

    recent: Effect.fnUntraced(function* (endpointId, limit) {
      // Ids of events are UUIDv7: their order is that of time.
      const rows = yield* Effect.orDie(sql<Row>`
          select ${columns} from agent_platform.webhook_delivery where endpoint_id = ${endpointId}
          order by event_id desc limit ${limit}
        `)
      if (rows.length === 0) return []
      const deliveries = deliveryTable.readAll(rows)
      const attempts = yield* Effect.orDie(sql<AttemptRow>`
          select attempt.* from unnest(${uuids(deliveries.map((delivery) => delivery.eventId))}) as listed (event_id)
          cross join lateral (
            ${attemptsOf(endpointId, sql`listed.event_id`)}
          ) as attempt
          order by attempt.event_id, attempt.number
        `)
      const byEvent = Map.groupBy(attempts, (attempt) => attempt.event_id)
      return deliveries.map((delivery) => ({
        delivery,
        attempts: attemptTable.readAll(byEvent.get(delivery.eventId) ?? [])
      }))
    }),

    attempts: (endpointId, eventId) =>
      attemptsOf(endpointId, sql`${eventId}`).pipe(mapRows((rows) => attemptTable.readAll(rows).toReversed()))
  }
})
