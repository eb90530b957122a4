import { DeliveryLifecycle } from "@agent-platform/webhooks"
import { Effect } from "effect"
import { layerSql } from "../layerSql.ts"
import type { Row } from "../table.ts"
import { voidingClaim } from "./claims.ts"
import { deliveryTable } from "./deliveryTable.ts"

/** The columns that a change of a delivery may write. */
const changeable = deliveryTable.pick(
  "state",
  "stateReason",
  "attemptCount",
  "failures",
  "nextAttemptAt",
  "deliveredAt"
)

interface Marked {
  readonly marked: number
}

/** Changes of rows of `webhook_delivery`, which void the claims on them. */
export const layer = layerSql(DeliveryLifecycle)((sql) => {
  const columns = sql.literal(deliveryTable.selected)
  return {
    update: Effect.fnUntraced(function* (endpointId, eventId, change) {
      const [row] = yield* Effect.orDie(sql<Row>`
          select ${columns} from agent_platform.webhook_delivery
          where endpoint_id = ${endpointId} and event_id = ${eventId} for update
        `)
      if (row === undefined) return undefined
      const changed = change(deliveryTable.read(row))
      yield* Effect.orDie(sql`
          update agent_platform.webhook_delivery set
            ${sql.literal(changeable.assignedFrom("changed"))}, due_at = changed.next_attempt_at, ${voidingClaim(sql)}
          from (${changeable.rowsOf([changed])}) as changed
          where endpoint_id = ${endpointId} and event_id = ${eventId}
        `)
      return changed
    }),

    // Claimed deliveries are marked by a second statement, which skips locked ones: a worker may be settling their attempts in another
    // order, and the two would deadlock. It settles failures only after it has waited for the endpoint, so a locked one has succeeded.
    markDead: (endpointId, reason) => {
      const dead = sql`state = 'dead', state_reason = ${reason}, next_attempt_at = null, due_at = null`
      const unclaimed = sql<Marked>`
      with marked as (
        update agent_platform.webhook_delivery set ${dead}
        where endpoint_id = ${endpointId} and state = 'pending' and claim_token is null
        returning 1
      )
      select count(*)::int as marked from marked
    `
      const claimed = sql<Marked>`
      with locked as materialized (
        select endpoint_id, event_id from agent_platform.webhook_delivery
        where endpoint_id = ${endpointId} and state = 'pending' for update skip locked
      ), marked as (
        update agent_platform.webhook_delivery delivery set ${dead}, ${voidingClaim(sql)}
        from locked
        where delivery.endpoint_id = locked.endpoint_id and delivery.event_id = locked.event_id
        returning 1
      )
      select count(*)::int as marked from marked
    `
      return Effect.orDie(
        Effect.zipWith(unclaimed, claimed, ([first], [second]) => (first?.marked ?? 0) + (second?.marked ?? 0))
      )
    }
  }
})
