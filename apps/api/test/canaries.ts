/** Texts that are to be gone, looked for in every row of every table, and the sums that are to stay. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { inDatabase } from "./overPostgres.ts"

/** Every table of the database that is not the server's own, the queue's included. */
const tables = (sql: SqlClient.SqlClient) =>
  sql<{ readonly name: string }>`
    select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relkind = 'r' and nspname not in ('pg_catalog', 'information_schema') and nspname not like 'pg_toast%'
    order by 1
  `

/** The tables with a row that has the text in any of its columns: large values are read as a whole. */
export const tablesWith = (text: string) =>
  inDatabase((sql) =>
    Effect.gen(function* () {
      const found: Array<string> = []
      for (const { name } of yield* tables(sql)) {
        const [row] = yield* sql.unsafe<{ readonly found: boolean }>(
          `select exists (select from ${name} as one where one::text like '%' || $1 || '%') as found`,
          [text]
        )
        if (row?.found === true) found.push(name)
      }
      return found
    })
  ).pipe(Effect.orDie)

/** All that was spent and counted in an organization, to the cent and to the run. */
export const sumsOf = (organizationId: string) =>
  inDatabase(
    (sql) => sql<Readonly<Record<string, string>>>`
      select
        (select coalesce(sum(cost_usd), 0)::text from agent_platform.model_call where organization_id = ${organizationId}) as ledger,
        (select count(*)::text from agent_platform.model_call where organization_id = ${organizationId}) as calls,
        (select coalesce(sum(cost_usd), 0)::text from agent_platform.usage_roll_up where organization_id = ${organizationId}) as usage,
        (select coalesce(sum(requests), 0)::text from agent_platform.usage_roll_up where organization_id = ${organizationId}) as requests,
        (select coalesce(sum(succeeded + paused + failed), 0)::text from agent_platform.outcome_roll_up
          where organization_id = ${organizationId} and level = 'day') as runs,
        (select coalesce(sum(spent_usd), 0)::text from agent_platform.workspace_spend where organization_id = ${organizationId}) as spent,
        (select coalesce(sum(byok_cost_usd + platform_cost_usd), 0)::text from agent_platform.billing_day
          where organization_id = ${organizationId}) as billed
    `
  ).pipe(
    Effect.map(([row]) => row),
    Effect.orDie
  )
