import type { AttemptMade, DeliverySettlement } from "@agent-platform/webhooks"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { fence } from "../claims.ts"
import { makeTable, type Row } from "../table.ts"
import { claimFields, type DeliveryClaim, deliveryClaims, formatToken, parseToken, tokenTable } from "./claims.ts"
import { attemptFields, deliveryTable } from "./deliveryTable.ts"

/** The columns that an attempt writes into `webhook_attempt`. */
const attemptMadeTable = makeTable<AttemptMade>("webhook_attempt", attemptFields)

/** An attempt that is recorded without changing its delivery. */
const recordedTable = attemptMadeTable.with<DeliveryClaim>(claimFields)

/** The columns of a delivery that an attempt changes, in addition to the count of attempts. */
const changedTable = deliveryTable.pick("state", "stateReason", "failures", "nextAttemptAt", "deliveredAt")

const settledTable = changedTable.with<AttemptMade>(attemptFields).with<DeliveryClaim>(claimFields)

type Settled = ReturnType<typeof settledTable.read>

/** Records the attempts of deliveries whose claims were voided while they were attempted. */
const record = (sql: SqlClient.SqlClient, overtaken: ReadonlyArray<AttemptMade & DeliveryClaim>) => {
  const attemptColumns = sql.literal(attemptMadeTable.names)
  return sql`
    with settled as materialized (
      ${recordedTable.rowsOf(overtaken)}
    ), written as (
      update agent_platform.webhook_delivery delivery set
        attempt_count = delivery.attempt_count + 1,
        voided_tokens = nullif(array_remove(delivery.voided_tokens, settled.claim_token), '{}')
      from settled
      where delivery.endpoint_id = settled.endpoint_id and delivery.event_id = settled.event_id
        and settled.claim_token = any(delivery.voided_tokens)
      returning delivery.organization_id, delivery.attempt_count as number, settled.*
    )
    insert into agent_platform.webhook_attempt (organization_id, endpoint_id, event_id, number, ${attemptColumns})
    select organization_id, endpoint_id, event_id, number, ${attemptColumns} from written
  `
}

/**
 * `DeliverySettlement.settle`: one statement writes the deliveries whose claim still holds, and adds an attempt for each of them
 * and no other. A second one is needed only for claims that do not hold any more.
 */
export const settle = (sql: SqlClient.SqlClient): DeliverySettlement["Service"]["settle"] => {
  const attemptColumns = sql.literal(attemptMadeTable.names)
  const changes = sql.literal(changedTable.assignedFrom("settled"))

  const write = (settled: ReadonlyArray<Settled>) => sql<Row>`
    with settled as materialized (
      ${settledTable.rowsOf(settled)}
    ), written as (
      update agent_platform.webhook_delivery delivery set ${changes}, attempt_count = delivery.attempt_count + 1,
        due_at = settled.next_attempt_at, claim_token = null
      from settled
      where ${fence(sql, deliveryClaims, "delivery", "settled")}
      returning delivery.organization_id, delivery.attempt_count as number, settled.*
    ), attempted as (
      insert into agent_platform.webhook_attempt (organization_id, endpoint_id, event_id, number, ${attemptColumns})
      select organization_id, endpoint_id, event_id, number, ${attemptColumns} from written
    )
    select endpoint_id, event_id, claim_token from written
  `

  return Effect.fnUntraced(function* (all) {
    const settled = all.flatMap(({ attempt, claimToken, delivery }): ReadonlyArray<Settled> => {
      const claim = parseToken(claimToken)
      return claim === undefined ? [] : [{ ...delivery, ...attempt, ...claim }]
    })
    if (settled.length === 0) return new Set<string>()
    const written = yield* Effect.orDie(write(settled))
    const held = new Set(tokenTable.readAll(written).map(formatToken))
    const overtaken = settled.filter((one) => !held.has(formatToken(one)))
    if (overtaken.length > 0) yield* Effect.orDie(record(sql, overtaken))
    return held
  })
}
