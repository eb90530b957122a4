import { DeliveryQueue } from "@agent-platform/webhooks"
import { Effect } from "effect"
import { fence, renewal } from "../claims.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import { claimDue } from "./claimDue.ts"
import { claimRows, deliveryClaims } from "./claims.ts"

/** The rows of `webhook_delivery` as a queue: `due_at` is when a row is due, or when the lease of its claim ends. */
export const layer = layerSql(DeliveryQueue)((sql) => ({
  claimDue: claimDue(sql),

  renew: (claimTokens, leaseSeconds) => {
    const held = sql`agent_platform.webhook_delivery join ${claimRows(sql, claimTokens)} using (endpoint_id, event_id, claim_token)`
    return Effect.asVoid(Effect.orDie(renewal(sql, deliveryClaims, held, leaseSeconds)))
  },

  release: (claimTokens) =>
    sql`
          update agent_platform.webhook_delivery set due_at = next_attempt_at, claim_token = null
          from ${claimRows(sql, claimTokens)} where ${fence(sql, deliveryClaims, "webhook_delivery", "claim")}
        `.pipe(Effect.orDie, Effect.asVoid),

  millisUntilDue: sql<{ readonly millis: number }>`
        select (extract(epoch from due_at - now()) * 1000)::float8 as millis from agent_platform.webhook_delivery
        where state = 'pending' order by due_at limit 1
      `.pipe(mapRows(([row]) => row?.millis))
}))
