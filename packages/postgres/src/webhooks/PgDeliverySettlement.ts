import { type Delivery, DeliverySettlement } from "@agent-platform/webhooks"
import type { PgTypes } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { leaseEnd } from "../claims.ts"
import { uuids } from "../columns.ts"
import { posted } from "../pipelined.ts"
import { claimToken } from "./claims.ts"
import { attemptValues, deliveryValues } from "./deliveryArrays.ts"
import { DELIVERY_COLUMNS, FIRST_ATTEMPT_COLUMNS } from "./deliveryRow.ts"
import { settle } from "./settle.ts"

/**
 * Rows of these columns out of an array for each. By what a SELECT asks for and not by what it asks from: there Postgres lays
 * every element of every array aside before it makes the first row, a quarter of what the whole insert takes.
 */
const rowsOf = (sql: SqlClient.SqlClient, columns: string, values: ReadonlyArray<PgTypes.Parameter>) => {
  const names = columns.split(", ")
  return sql`(select ${sql.csv(values.map((array, index) => sql`unnest(${array}) as ${sql.literal(names[index] ?? "")}`))}) as row`
}

const isUniqueViolation = ({ reason }: SqlError) => reason._tag === "UniqueViolation"

/** How deliveries get their rows, one statement each way, and their attempts. A row that is there already is never inserted over. */
export const layer: Layer.Layer<DeliverySettlement, never, SqlClient.SqlClient> = Layer.effect(
  DeliverySettlement,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const names = DELIVERY_COLUMNS.join(", ")
    const columns = sql.literal(names)
    const firstAttemptColumns = sql.literal(FIRST_ATTEMPT_COLUMNS)
    return DeliverySettlement.of({
      existing: (keys) =>
        sql<{ readonly endpoint_id: Delivery["endpointId"]; readonly event_id: Delivery["eventId"] }>`
        select endpoint_id, event_id from webhook_delivery
        join unnest(
          ${uuids(keys.map((key) => key.endpointId))}, ${uuids(keys.map((key) => key.eventId))}
        ) as key (endpoint_id, event_id) using (endpoint_id, event_id)
      `.pipe(
          Effect.orDie,
          Effect.map((rows) => rows.map((row) => ({ endpointId: row.endpoint_id, eventId: row.event_id })))
        ),

      insert: (deliveries) =>
        deliveries.length === 0
          ? Effect.void
          : sql`
            insert into webhook_delivery (${columns}, due_at)
            select row.*, row.next_attempt_at
            from ${rowsOf(sql, names, deliveryValues(deliveries))}
            on conflict (endpoint_id, event_id) do nothing
          `.pipe(Effect.orDie, Effect.asVoid),

      insertAttempted: Effect.fnUntraced(function* (attempted) {
        if (attempted.length === 0) return
        const values = [
          ...deliveryValues(attempted.map((one) => one.delivery)),
          ...attemptValues(attempted.map((one) => one.attempt))
        ]
        const insert = sql`
        insert into webhook_delivery (${columns}, ${firstAttemptColumns}, due_at)
        select row.*, row.next_attempt_at
        from ${rowsOf(sql, `${names}, ${FIRST_ATTEMPT_COLUMNS}`, values)}
      `
        // Being ready for a row that is there already costs as much as the insert itself, and next to none is.
        yield* posted(sql, sql`savepoint first_attempts`)
        yield* Effect.catchIf(insert, isUniqueViolation, () =>
          Effect.andThen(
            sql`rollback to savepoint first_attempts`,
            sql`${insert} on conflict (endpoint_id, event_id) do nothing`
          )
        )
        yield* posted(sql, sql`release savepoint first_attempts`)
      }, Effect.orDie),

      insertClaimed: (deliveries, leaseSeconds) =>
        sql<{ readonly endpoint_id: string; readonly event_id: string; readonly token: string }>`
        with row as materialized (
          select *, gen_random_uuid() as token from ${rowsOf(sql, names, deliveryValues(deliveries))}
        ), inserted as (
          insert into webhook_delivery (${columns}, due_at, claim_token, voided_tokens)
          select ${columns},
            case when state = 'pending' then ${leaseEnd(sql, leaseSeconds)} end,
            case when state = 'pending' then token end,
            case when state <> 'pending' then array[token] end
          from row
          on conflict (endpoint_id, event_id) do nothing
          returning endpoint_id, event_id
        )
        select row.endpoint_id, row.event_id, row.token from row join inserted using (endpoint_id, event_id)
      `.pipe(
          Effect.orDie,
          Effect.map((rows) => {
            const tokens = new Map(
              rows.map((row) => [
                `${row.endpoint_id}/${row.event_id}`,
                claimToken(row.endpoint_id, row.event_id, row.token)
              ])
            )
            return deliveries.map((delivery) => tokens.get(`${delivery.endpointId}/${delivery.eventId}`))
          })
        ),

      settle: settle(sql)
    })
  })
)
