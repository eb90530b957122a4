import { type Delivery, DeliverySettlement } from "@agent-platform/webhooks"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { leaseEnd } from "../claims.ts"
import { uuids } from "../columns.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import { posted } from "../pipelined.ts"
import type { Row } from "../table.ts"
import { formatToken, tokenTable } from "./claims.ts"
import { attemptedTable, deliveryTable } from "./deliveryTable.ts"
import { settle } from "./settle.ts"

const isUniqueViolation = ({ reason }: SqlError) => reason._tag === "UniqueViolation"

/** Inserts the rows of deliveries and their attempts. A row that exists already is left as it is. */
export const layer = layerSql(DeliverySettlement)((sql) => {
  const columns = sql.literal(deliveryTable.names)
  const attemptedColumns = sql.literal(attemptedTable.names)
  return {
    existing: (keys) =>
      sql<{ readonly endpoint_id: Delivery["endpointId"]; readonly event_id: Delivery["eventId"] }>`
        select endpoint_id, event_id from agent_platform.webhook_delivery
        join unnest(
          ${uuids(keys.map((key) => key.endpointId))}, ${uuids(keys.map((key) => key.eventId))}
        ) as key (endpoint_id, event_id) using (endpoint_id, event_id)
      `.pipe(mapRows((rows) => rows.map((row) => ({ endpointId: row.endpoint_id, eventId: row.event_id })))),

    insert: (deliveries) =>
      deliveries.length === 0
        ? Effect.void
        : sql`
            insert into agent_platform.webhook_delivery (${columns}, due_at)
            select row.*, row.next_attempt_at from (${deliveryTable.rowsOf(deliveries)}) as row
            on conflict (endpoint_id, event_id) do nothing
          `.pipe(Effect.orDie, Effect.asVoid),

    insertAttempted: Effect.fnUntraced(function* (attempted) {
      if (attempted.length === 0) return
      const insert = sql`
        insert into agent_platform.webhook_delivery (${attemptedColumns}, due_at)
        select row.*, row.next_attempt_at from (${attemptedTable.rowsOf(attempted)}) as row
      `
      // `on conflict` costs as much as the insert itself, and hardly any row exists already, so it is only used after a failure.
      yield* posted(sql, sql`savepoint first_attempts`)
      yield* Effect.catchIf(insert, isUniqueViolation, () =>
        Effect.andThen(
          sql`rollback to savepoint first_attempts`,
          sql`${insert} on conflict (endpoint_id, event_id) do nothing`
        )
      )
      yield* posted(sql, sql`release savepoint first_attempts`)
    }, Effect.orDie),

    // The token of a delivery that is not pending counts as void from the start: settling then only records the attempt.
    insertClaimed: (deliveries, leaseSeconds) =>
      sql<Row>`
        with row as materialized (
          select *, gen_random_uuid() as token from (${deliveryTable.rowsOf(deliveries)}) as row
        ), inserted as (
          insert into agent_platform.webhook_delivery (${columns}, due_at, claim_token, voided_tokens)
          select ${columns},
            case when state = 'pending' then ${leaseEnd(sql, leaseSeconds)} end,
            case when state = 'pending' then token end,
            case when state <> 'pending' then array[token] end
          from row
          on conflict (endpoint_id, event_id) do nothing
          returning endpoint_id, event_id
        )
        select row.endpoint_id, row.event_id, row.token as claim_token from row join inserted using (endpoint_id, event_id)
      `.pipe(
        mapRows((rows) => {
          const tokens = new Map(
            tokenTable.readAll(rows).map((claim) => [`${claim.endpointId}/${claim.eventId}`, formatToken(claim)])
          )
          return deliveries.map((delivery) => tokens.get(`${delivery.endpointId}/${delivery.eventId}`))
        })
      ),

    settle: settle(sql)
  }
})
