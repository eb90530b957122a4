import { RunQueue } from "@agent-platform/runs"
import { renewal } from "../claims.ts"
import { readNullableTimestamp, uuids } from "../columns.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import { claim } from "./claim.ts"
import { runClaims } from "./runClaims.ts"
import { timedRuns } from "./timedRuns.ts"

/** The queue of runs, which is the table `run`. */
export const layer = layerSql(RunQueue)((sql) => ({
  claim: claim(sql),

  // A locked run is skipped and renewed the next time: waiting for it could let the leases of the others lapse.
  renew: (claimTokens, { leaseSeconds }) => {
    const held = sql`agent_platform.run where status = 'running' and callback_until is null and claim_token = any(${uuids(claimTokens)})`
    return sql<{ readonly claim_token: string; readonly cancel_requested_at: Date | null }>`
          with renewed as (${renewal(sql, runClaims, held, leaseSeconds)})
          select claim_token, cancel_requested_at from ${held}
        `.pipe(
      mapRows((rows) => new Map(rows.map((row) => [row.claim_token, readNullableTimestamp(row.cancel_requested_at)])))
    )
  },

  ...timedRuns(sql)
}))
