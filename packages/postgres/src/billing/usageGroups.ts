/** Statements that group usage; an answer has at most `GROUPS_MAX` groups, and the rest as one more. */
import {
  type CellDimension,
  canGroupRuns,
  GROUPS_MAX,
  type GroupedUsage,
  isCellDimension,
  metadataName,
  type UsageDimension
} from "@agent-platform/billing"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { Row } from "../table.ts"
import { countsTable, groupTable, summed, sumsTable } from "./rollUpTables.ts"

const CELL_KEYS: Readonly<Record<CellDimension, string>> = {
  model: "found.model",
  provider: "found.provider",
  agent_id: "found.agent_id::text",
  key_source: "found.key_source",
  workspace_id: "found.workspace_id::text"
}

const keyIn = (sql: SqlClient.SqlClient, dimension: UsageDimension | undefined): Fragment => {
  if (dimension === undefined) return sql`null::text`
  if (isCellDimension(dimension)) return sql.literal(CELL_KEYS[dimension])
  const name = metadataName(dimension)
  return name === undefined ? sql`tags.tag` : sql`run.metadata ->> ${name}::text`
}

/** The values of the dimensions in rows of `found`, as `key_1` and `key_2`. */
export const keysIn = (sql: SqlClient.SqlClient, [first, second]: ReadonlyArray<UsageDimension>): Fragment =>
  sql`${keyIn(sql, first)} as key_1, ${keyIn(sql, second)} as key_2`

/** The sums of usage over rows of `found`, with the cost by whose keys paid. */
export const PAID_SUMS = `${sumsTable.each((column) => `sum(found.${column}) as ${column}`)},
  coalesce(sum(found.cost_usd) filter (where found.key_source = 'byok'), 0) as byok_cost_usd,
  coalesce(sum(found.cost_usd) filter (where found.key_source = 'platform'), 0) as platform_cost_usd`

const amounts = groupTable.omit("key1", "key2", "isOther")
const paid = amounts.omit("succeeded", "paused", "failed", "cancelled")

/** Stands for a column that only the other branch of the union has. */
const zero = (column: string): string => `0 as ${column}`

/** One branch of the union that `dearestIn` adds up: the usage of rows of `found`. */
export const usageIn = (
  sql: SqlClient.SqlClient,
  groupBy: ReadonlyArray<UsageDimension>,
  rows: Fragment
): Fragment => sql`
  select ${keysIn(sql, groupBy)}, ${sql.literal(PAID_SUMS)}, ${sql.literal(countsTable.each(zero))} from ${rows} group by 1, 2
`

/** The other branch: how the runs in rows of `found` ended. */
export const outcomesIn = (
  sql: SqlClient.SqlClient,
  groupBy: ReadonlyArray<UsageDimension>,
  rows: Fragment
): Fragment => sql`
  select ${keysIn(sql, groupBy)}, ${sql.literal(paid.each(zero))}, ${sql.literal(countsTable.each(summed))} from ${rows}
  group by 1, 2
`

/** The groups of all branches: the dearest, and the rest as one. */
export const dearestIn = (sql: SqlClient.SqlClient, branches: Fragment): Fragment => sql`
  select case when not is_other then key_1 end as key_1, case when not is_other then key_2 end as key_2, is_other,
    ${sql.literal(amounts.each(summed))}
  from (
    select *, row_number() over (order by cost_usd desc, key_1, key_2) > ${GROUPS_MAX}::int as is_other
    from (select key_1, key_2, ${sql.literal(amounts.each(summed))} from (${branches}) as branch group by 1, 2) as whole
  ) as placed
  group by 1, 2, 3
`

/** The groups of each of these days, as `date`: those that cost most over all the days, and the rest of each day as one. */
export const groupedDaysIn = (
  sql: SqlClient.SqlClient,
  groupBy: ReadonlyArray<UsageDimension>,
  areMeant: Fragment
): Fragment => sql`
  select date, case when not is_other then key_1 end as key_1, case when not is_other then key_2 end as key_2, is_other,
    ${sql.literal(paid.each(summed))}, ${sql.literal(countsTable.each(zero))}
  from (
    select *, dense_rank() over (order by whole_usd desc, key_1, key_2) > ${GROUPS_MAX}::int as is_other
    from (
      select *, sum(cost_usd) over (partition by key_1, key_2) as whole_usd
      from (
        select day.date::text as date, ${keysIn(sql, groupBy)}, ${sql.literal(PAID_SUMS)}
        from agent_platform.billing_day as day
        join agent_platform.usage_roll_up as found on found.workspace_id = day.workspace_id and found.level = 'day'
          and found.starts_at >= day.starts_at and found.starts_at < day.ends_at
        where ${areMeant} group by 1, 2, 3
      ) as part
    ) as summed
  ) as placed
  group by 1, 2, 3, 4 order by date
`

/** The groups in rows of these columns, with as many keys as there are dimensions. */
export const groupsIn = (
  rows: ReadonlyArray<Row>,
  groupBy: ReadonlyArray<UsageDimension>
): ReadonlyArray<GroupedUsage> =>
  groupTable.readAll(rows).map(({ cancelled, failed, isOther, key1, key2, paused, succeeded, ...usage }) => ({
    keys: [key1, key2].slice(0, groupBy.length),
    isOther,
    usage,
    runs: canGroupRuns(groupBy) ? { succeeded, paused, failed, cancelled } : null
  }))
