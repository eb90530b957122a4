import type { DeliverySettlement, SettledDelivery } from "@agent-platform/webhooks"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { fence } from "../claims.ts"
import { integers, texts, timestamps } from "../columns.ts"
import { claimColumns, claimToken, deliveryClaims, isClaimToken } from "./claims.ts"
import { ATTEMPT_MADE_COLUMNS, attemptArrays } from "./deliveryArrays.ts"

/** The attempts of deliveries that were overridden while they were attempted. */
const record = (sql: SqlClient.SqlClient, overtaken: ReadonlyArray<SettledDelivery>) => {
  const claims = claimColumns(overtaken.map((one) => one.claimToken))
  const attemptColumns = sql.literal(ATTEMPT_MADE_COLUMNS)
  return sql`
    with settled as materialized (
      select * from unnest(
        ${claims.endpointIds}, ${claims.eventIds}, ${claims.secrets},
        ${attemptArrays(
          sql,
          overtaken.map((one) => one.attempt)
        )}
      ) as row (endpoint_id, event_id, claim_token, ${attemptColumns})
    ), written as (
      update webhook_delivery delivery set
        attempt_count = delivery.attempt_count + 1,
        voided_tokens = nullif(array_remove(delivery.voided_tokens, settled.claim_token), '{}')
      from settled
      where delivery.endpoint_id = settled.endpoint_id and delivery.event_id = settled.event_id
        and settled.claim_token = any(delivery.voided_tokens)
      returning delivery.organization_id, delivery.attempt_count as number, settled.*
    )
    insert into webhook_attempt (organization_id, endpoint_id, event_id, number, ${attemptColumns})
    select organization_id, endpoint_id, event_id, number, ${attemptColumns} from written
  `
}

/**
 * `DeliverySettlement.settle`: one statement writes the deliveries whose claim still holds, and adds an attempt for each of them
 * and no other. A second one is needed only for claims that do not hold any more.
 */
export const settle = (sql: SqlClient.SqlClient): DeliverySettlement["Service"]["settle"] => {
  const attemptColumns = sql.literal(ATTEMPT_MADE_COLUMNS)

  const write = (settled: ReadonlyArray<SettledDelivery>) => {
    const claims = claimColumns(settled.map((one) => one.claimToken))
    const deliveries = settled.map((one) => one.delivery)
    return sql<{ readonly endpoint_id: string; readonly event_id: string; readonly claim_token: string }>`
      with settled as materialized (
        select * from unnest(
          ${claims.endpointIds}, ${claims.eventIds}, ${claims.secrets},
          ${texts(deliveries.map((delivery) => delivery.state))},
          ${texts(deliveries.map((delivery) => delivery.stateReason))},
          ${integers(deliveries.map((delivery) => delivery.failures))},
          ${timestamps(deliveries.map((delivery) => delivery.nextAttemptAt))},
          ${timestamps(deliveries.map((delivery) => delivery.deliveredAt))},
          ${attemptArrays(
            sql,
            settled.map((one) => one.attempt)
          )}
        ) as row (
          endpoint_id, event_id, claim_token, state, state_reason, failures, next_attempt_at, delivered_at,
          ${attemptColumns}
        )
      ), written as (
        update webhook_delivery delivery set
          state = settled.state, state_reason = settled.state_reason, attempt_count = delivery.attempt_count + 1,
          failures = settled.failures, next_attempt_at = settled.next_attempt_at, due_at = settled.next_attempt_at,
          delivered_at = settled.delivered_at, claim_token = null
        from settled
        where ${fence(sql, deliveryClaims, "delivery", "settled")}
        returning delivery.organization_id, delivery.attempt_count as number, settled.*
      ), attempted as (
        insert into webhook_attempt (organization_id, endpoint_id, event_id, number, ${attemptColumns})
        select organization_id, endpoint_id, event_id, number, ${attemptColumns} from written
      )
      select endpoint_id, event_id, claim_token from written
    `
  }

  return Effect.fnUntraced(function* (all) {
    const settled = all.filter((one) => isClaimToken(one.claimToken))
    if (settled.length === 0) return new Set<string>()
    const written = yield* Effect.orDie(write(settled))
    const held = new Set(written.map((row) => claimToken(row.endpoint_id, row.event_id, row.claim_token)))
    const overtaken = settled.filter((one) => !held.has(one.claimToken))
    if (overtaken.length > 0) yield* Effect.orDie(record(sql, overtaken))
    return held
  })
}
