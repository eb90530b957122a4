/** The backlog of a deployment after a while: retries that are not due yet, and rows of the past. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { BenchDatabase } from "./database.ts"
import type { BenchTenant } from "./tenants.ts"

/** Writes so many deliveries of the tenant that are pending for the hours to come, and so many that were delivered. */
export const addBacklog = (
  database: BenchDatabase,
  { endpoints, organizationId }: BenchTenant,
  { old, pending }: { readonly old: number; readonly pending: number }
): Promise<void> =>
  database.run(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [endpoint] = endpoints
      if (endpoint === undefined) return
      const columns = sql.literal(
        "endpoint_id, event_id, organization_id, event_type, state, attempt_count, failures, next_attempt_at, due_at, created_at, delivered_at"
      )
      yield* sql`
        insert into agent_platform.webhook_delivery (${columns})
        select ${endpoint.id}::uuid, uuidv7(), ${organizationId}::uuid, 'run.failed', 'pending', 3, 3, due, due, now(), null
        from generate_series(1, ${pending}) as n, lateral (select now() + interval '1 hour' + n * interval '20 ms' as due) as t
      `
      yield* sql`
        insert into agent_platform.webhook_delivery (${columns})
        select ${endpoint.id}::uuid, uuidv7(n * interval '-100 ms'), ${organizationId}::uuid, 'run.failed', 'delivered', 1,
          0, null, null, now(), now()
        from generate_series(1, ${old}) as n
      `
      yield* sql`analyze`
    })
  )
