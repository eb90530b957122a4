import type { AttemptMade, Delivery, DeliveryStore } from "@agent-platform/webhooks"
import type { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { integers, texts, timestamps, uuids } from "../columns.ts"
import { posted } from "../pipelined.ts"
import { claimToken } from "./claims.ts"
import { DELIVERY_COLUMNS, FIRST_ATTEMPT_COLUMNS } from "./deliveryRow.ts"

type Inserts = Pick<DeliveryStore["Service"], "existing" | "insert" | "insertAttempted" | "insertClaimed">

/** The columns of `AttemptMade`. */
export const ATTEMPT_MADE_COLUMNS = "attempted_at, duration_millis, response_code, error, response_excerpt, remote_ip"

/** Attempts as arrays, in the order of `ATTEMPT_MADE_COLUMNS`. */
const attemptValues = (attempts: ReadonlyArray<AttemptMade>): ReadonlyArray<PgTypes.Parameter> => [
  timestamps(attempts.map((attempt) => attempt.attemptedAt)),
  integers(attempts.map((attempt) => attempt.durationMillis)),
  integers(attempts.map((attempt) => attempt.responseCode)),
  texts(attempts.map((attempt) => attempt.error)),
  texts(attempts.map((attempt) => attempt.responseExcerpt)),
  texts(attempts.map((attempt) => attempt.remoteIp))
]

/** The same in the text of a statement. */
export const attemptArrays = (sql: SqlClient.SqlClient, attempts: ReadonlyArray<AttemptMade>) =>
  sql.csv(attemptValues(attempts).map((values) => sql`${values}`))

/** Deliveries as arrays, in the order of `DELIVERY_COLUMNS`. */
const deliveryValues = (deliveries: ReadonlyArray<Delivery>): ReadonlyArray<PgTypes.Parameter> => [
  uuids(deliveries.map((delivery) => delivery.endpointId)),
  uuids(deliveries.map((delivery) => delivery.eventId)),
  uuids(deliveries.map((delivery) => delivery.organizationId)),
  texts(deliveries.map((delivery) => delivery.eventType)),
  texts(deliveries.map((delivery) => delivery.state)),
  texts(deliveries.map((delivery) => delivery.stateReason)),
  integers(deliveries.map((delivery) => delivery.attemptCount)),
  integers(deliveries.map((delivery) => delivery.failures)),
  timestamps(deliveries.map((delivery) => delivery.nextAttemptAt)),
  timestamps(deliveries.map((delivery) => delivery.createdAt)),
  timestamps(deliveries.map((delivery) => delivery.deliveredAt))
]

/**
 * Rows of these columns out of an array for each. By what a SELECT asks for and not by what it asks from: there Postgres lays
 * every element of every array aside before it makes the first row, a quarter of what the whole insert takes.
 */
const rowsOf = (sql: SqlClient.SqlClient, columns: string, values: ReadonlyArray<PgTypes.Parameter>) => {
  const names = columns.split(", ")
  return sql`(select ${sql.csv(values.map((array, index) => sql`unnest(${array}) as ${sql.literal(names[index] ?? "")}`))}) as row`
}

const isUniqueViolation = ({ reason }: SqlError) => reason._tag === "UniqueViolation"

/** How deliveries get their rows: one statement each way. A row that is there already is never touched. */
export const deliveryInserts = (sql: SqlClient.SqlClient): Inserts => {
  const names = DELIVERY_COLUMNS.join(", ")
  const columns = sql.literal(names)
  const firstAttemptColumns = sql.literal(FIRST_ATTEMPT_COLUMNS)
  return {
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
            case when state = 'pending' then now() + ${leaseSeconds}::float8 * interval '1 second' end,
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
      )
  }
}
