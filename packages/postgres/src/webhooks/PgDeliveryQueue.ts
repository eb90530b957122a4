import { DeliveryQueue } from "@agent-platform/webhooks"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { claimDue } from "./claimDue.ts"
import { claimColumns } from "./claims.ts"

/** The rows of `webhook_delivery` as a queue: a row is due, or claimed until its lease is over, by its `due_at`. */
export const layer: Layer.Layer<DeliveryQueue, never, SqlClient.SqlClient> = Layer.effect(
  DeliveryQueue,
  Effect.map(SqlClient.SqlClient, (sql) =>
    DeliveryQueue.of({
      claimDue: claimDue(sql),

      // A claim whose row is locked is being settled, and needs no renewal; waiting for it would hold up the others.
      renew: (claimTokens, leaseSeconds) => {
        const claims = claimColumns(claimTokens)
        return sql`
          with held as (
            select endpoint_id, event_id from webhook_delivery
            join unnest(${claims.endpointIds}, ${claims.eventIds}, ${claims.secrets})
              as claim (endpoint_id, event_id, claim_token) using (endpoint_id, event_id, claim_token)
            for update of webhook_delivery skip locked
          )
          update webhook_delivery set due_at = now() + ${leaseSeconds}::float8 * interval '1 second'
          from held
          where webhook_delivery.endpoint_id = held.endpoint_id and webhook_delivery.event_id = held.event_id
        `.pipe(Effect.orDie, Effect.asVoid)
      },

      release: (claimTokens) => {
        const claims = claimColumns(claimTokens)
        return sql`
          update webhook_delivery set due_at = next_attempt_at, claim_token = null
          from unnest(${claims.endpointIds}, ${claims.eventIds}, ${claims.secrets})
            as claim (endpoint_id, event_id, claim_token)
          where webhook_delivery.endpoint_id = claim.endpoint_id and webhook_delivery.event_id = claim.event_id
            and webhook_delivery.claim_token = claim.claim_token
        `.pipe(Effect.orDie, Effect.asVoid)
      },

      millisUntilDue: sql<{ readonly millis: number }>`
        select (extract(epoch from due_at - now()) * 1000)::float8 as millis from webhook_delivery
        where state = 'pending' order by due_at limit 1
      `.pipe(
        Effect.orDie,
        Effect.map(([row]) => row?.millis)
      )
    })
  )
)
