import { type EventId, firstIdAt, toPage } from "@agent-platform/kernel"
import {
  ATTEMPTS_SHOWN_MAX,
  DELIVERIES_LOOKED_AT_MAX,
  DeliveryRecords,
  type EndpointId
} from "@agent-platform/webhooks"
import { Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { uuids } from "../columns.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import { attemptedTable, attemptTable, deliveryTable } from "./deliveryTable.ts"

/** The columns of a first attempt, which are in the row of its delivery. */
const firstAttemptTable = attemptedTable.pick("attempt")

interface AttemptRow extends Row {
  readonly event_id: EventId
}

/** Deliveries in `webhook_delivery`, with their first attempts, and all other attempts in `webhook_attempt`. */
export const layer = layerSql(DeliveryRecords)((sql) => {
  const columns = sql.literal(deliveryTable.selected)
  const attemptColumns = sql.literal(attemptTable.names)
  const firstAttemptColumns = sql.literal(firstAttemptTable.names)

  /** The newest attempts of one delivery, newest first, from both tables. */
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

    list: Effect.fnUntraced(function* (endpointId, { eventType, since, state, until }, { before, limit }) {
      const optional = (condition: Fragment | undefined) => condition ?? sql.literal("")
      // Ids of events are UUIDv7, in the order of time. Dead deliveries are rare, and have an index of their own. Where the look was cut
      // off by its bound, `last` is the last event that it came to: the next page goes on after it if too few were found to fill this one.
      // The left join gives one row with `last` even where nothing was found.
      const found = yield* Effect.orDie(sql<Row & { readonly event_id: EventId | null; readonly last: EventId | null }>`
          with looked_at as materialized (
            select event_id, event_type, state from agent_platform.webhook_delivery
            where endpoint_id = ${endpointId}
              ${optional(before === undefined ? undefined : sql`and event_id < ${before}`)}
              ${optional(since === undefined ? undefined : sql`and event_id >= ${firstIdAt(since)}`)}
              ${optional(until === undefined ? undefined : sql`and event_id < ${firstIdAt(until)}`)}
              ${optional(state === "dead" ? sql`and state = 'dead'` : undefined)}
            order by event_id desc limit ${DELIVERIES_LOOKED_AT_MAX}
          ), found as (
            select event_id from looked_at
            where true
              ${optional(state === undefined ? undefined : sql`and state = ${state}`)}
              ${optional(eventType === undefined ? undefined : sql`and event_type = ${eventType}`)}
            order by event_id desc limit ${limit + 1}
          )
          select ${columns}, ended.last
          from (
            select case when count(*) = ${DELIVERIES_LOOKED_AT_MAX} then (array_agg(event_id order by event_id))[1] end as last
            from looked_at
          ) as ended
          left join (
            select delivery.* from found
            join agent_platform.webhook_delivery as delivery
              on delivery.endpoint_id = ${endpointId} and delivery.event_id = found.event_id
          ) as webhook_delivery on true
          order by event_id desc
        `)
      const rows = found.filter(({ event_id: id }) => id !== null)
      const page = toPage(rows, limit, ({ event_id: id }) => String(id))
      const next = page.next ?? found[0]?.last ?? undefined
      if (rows.length === 0) return { items: [], next }
      const deliveries = deliveryTable.readAll(page.items)
      const attempts = yield* Effect.orDie(sql<AttemptRow>`
          select attempt.* from unnest(${uuids(deliveries.map((delivery) => delivery.eventId))}) as listed (event_id)
          cross join lateral (
            ${attemptsOf(endpointId, sql`listed.event_id`)}
          ) as attempt
          order by attempt.event_id, attempt.number
        `)
      const byEvent = Map.groupBy(attempts, (attempt) => attempt.event_id)
      const items = deliveries.map((delivery) => ({
        delivery,
        attempts: attemptTable.readAll(byEvent.get(delivery.eventId) ?? [])
      }))
      return { items, next }
    }),

    attempts: (endpointId, eventId) =>
      attemptsOf(endpointId, sql`${eventId}`).pipe(mapRows((rows) => attemptTable.readAll(rows).toReversed()))
  }
})
