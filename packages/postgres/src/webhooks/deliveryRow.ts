import type { EventId, OrganizationId } from "@agent-platform/kernel"
import type { Attempt, DeadReason, Delivery, DeliveryState, EndpointId } from "@agent-platform/webhooks"
import { readNullableTimestamp, readTimestamp } from "../columns.ts"

/** The columns of `webhook_delivery` that make the delivery itself. */
export interface DeliveryRow {
  readonly endpoint_id: EndpointId
  readonly event_id: EventId
  readonly organization_id: OrganizationId
  readonly event_type: string
  readonly state: DeliveryState
  readonly state_reason: DeadReason | null
  readonly attempt_count: number
  readonly failures: number
  readonly next_attempt_at: Date | null
  readonly created_at: Date
  readonly delivered_at: Date | null
}

/** The columns of a `DeliveryRow`. */
export const DELIVERY_COLUMNS = [
  "endpoint_id",
  "event_id",
  "organization_id",
  "event_type",
  "state",
  "state_reason",
  "attempt_count",
  "failures",
  "next_attempt_at",
  "created_at",
  "delivered_at"
] as const

/** The delivery in a row. */
export const toDelivery = (row: DeliveryRow): Delivery => ({
  endpointId: row.endpoint_id,
  eventId: row.event_id,
  organizationId: row.organization_id,
  eventType: row.event_type,
  state: row.state,
  stateReason: row.state_reason,
  attemptCount: row.attempt_count,
  failures: row.failures,
  nextAttemptAt: readNullableTimestamp(row.next_attempt_at),
  createdAt: readTimestamp(row.created_at),
  deliveredAt: readNullableTimestamp(row.delivered_at)
})

/** A row of `webhook_attempt`, or a first attempt read as one. */
export interface AttemptRow {
  readonly event_id: EventId
  readonly number: number
  readonly attempted_at: Date
  readonly duration_millis: number
  readonly response_code: number | null
  readonly error: string | null
  readonly response_excerpt: string | null
  readonly remote_ip: string | null
}

/** The columns of an `AttemptRow`. */
export const ATTEMPT_COLUMNS =
  "event_id, number, attempted_at, duration_millis, response_code, error, response_excerpt, remote_ip"

/** Where a delivery's row has its first attempt if that came before the row; in the order of `ATTEMPT_MADE_COLUMNS`. */
export const FIRST_ATTEMPT_COLUMNS =
  "first_attempted_at, first_duration_millis, first_response_code, first_error, first_response_excerpt, first_remote_ip"

/** The attempt in a row. */
export const toAttempt = (row: AttemptRow): Attempt => ({
  number: row.number,
  attemptedAt: readTimestamp(row.attempted_at),
  durationMillis: row.duration_millis,
  responseCode: row.response_code,
  error: row.error,
  responseExcerpt: row.response_excerpt,
  remoteIp: row.remote_ip
})
