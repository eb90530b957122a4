import type { DeliveryStore } from "@agent-platform/webhooks"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { integers, texts, timestamps } from "../columns.ts"
import { claimColumns, claimToken, isClaimToken } from "./claims.ts"

/**
 * `DeliveryStore.settle` as one statement: the deliveries whose claim still holds are written, and an attempt is added for
 * each of them and no other.
 */
export const settle =
  (sql: SqlClient.SqlClient): DeliveryStore["Service"]["settle"] =>
  (all) => {
    const settled = all.filter((one) => isClaimToken(one.claimToken))
    if (settled.length === 0) return Effect.succeed(new Set())
    const claims = claimColumns(settled.map((one) => one.claimToken))
    const deliveries = settled.map((one) => one.delivery)
    const attempts = settled.map((one) => one.attempt)
    return sql<{ readonly endpoint_id: string; readonly event_id: string; readonly claim_token: string }>`
    with settled as (
      select * from unnest(
        ${claims.endpointIds}, ${claims.eventIds}, ${claims.secrets},
        ${texts(deliveries.map((delivery) => delivery.state))},
        ${texts(deliveries.map((delivery) => delivery.stateReason))},
        ${integers(deliveries.map((delivery) => delivery.attemptCount))},
        ${integers(deliveries.map((delivery) => delivery.failures))},
        ${timestamps(deliveries.map((delivery) => delivery.nextAttemptAt))},
        ${timestamps(deliveries.map((delivery) => delivery.deliveredAt))},
        ${integers(attempts.map((attempt) => attempt.number))},
        ${timestamps(attempts.map((attempt) => attempt.attemptedAt))},
        ${integers(attempts.map((attempt) => attempt.durationMillis))},
        ${integers(attempts.map((attempt) => attempt.responseCode))},
        ${texts(attempts.map((attempt) => attempt.error))},
        ${texts(attempts.map((attempt) => attempt.responseExcerpt))},
        ${texts(attempts.map((attempt) => attempt.remoteIp))}
      ) as row (
        endpoint_id, event_id, claim_token, state, state_reason, attempt_count, failures, next_attempt_at, delivered_at,
        number, attempted_at, duration_millis, response_code, error, response_excerpt, remote_ip
      )
    ), written as (
      update webhook_delivery delivery set
        state = settled.state, state_reason = settled.state_reason, attempt_count = settled.attempt_count,
        failures = settled.failures, next_attempt_at = settled.next_attempt_at, due_at = settled.next_attempt_at,
        delivered_at = settled.delivered_at, claim_token = null
      from settled
      where delivery.endpoint_id = settled.endpoint_id and delivery.event_id = settled.event_id
        and delivery.claim_token = settled.claim_token
      returning delivery.organization_id, settled.*
    ), attempted as (
      insert into webhook_attempt (
        organization_id, endpoint_id, event_id, number, attempted_at, duration_millis, response_code, error,
        response_excerpt, remote_ip
      )
      select organization_id, endpoint_id, event_id, number, attempted_at, duration_millis, response_code, error,
        response_excerpt, remote_ip
      from written
    )
    select endpoint_id, event_id, claim_token from written
  `.pipe(
      Effect.orDie,
      Effect.map((rows) => new Set(rows.map((row) => claimToken(row.endpoint_id, row.event_id, row.claim_token))))
    )
  }
