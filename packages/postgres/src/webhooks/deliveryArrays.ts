/** Deliveries and attempts as parameters: an array for each column. */
import type { AttemptMade, Delivery } from "@agent-platform/webhooks"
import type { PgTypes } from "@effect/sql-pg"
import type { SqlClient } from "effect/sql"
import { integers, texts, timestamps, uuids } from "../columns.ts"

/** The columns of `AttemptMade`. */
export const ATTEMPT_MADE_COLUMNS = "attempted_at, duration_millis, response_code, error, response_excerpt, remote_ip"

/** Attempts as arrays, in the order of `ATTEMPT_MADE_COLUMNS`. */
export const attemptValues = (attempts: ReadonlyArray<AttemptMade>): ReadonlyArray<PgTypes.Parameter> => [
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
export const deliveryValues = (deliveries: ReadonlyArray<Delivery>): ReadonlyArray<PgTypes.Parameter> => [
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
