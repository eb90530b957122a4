/**
 * Claims on rows. A claim is a fresh `claim_token`, which each write of its holder shows, and a lease, which the holder renews. When the
 * lease has ended, others may claim the row.
 */
import { DEFAULT_SCHEMA } from "@agent-platform/toolkit"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"

/** A table whose rows are claimed: its name, its key, and the column that says when a lease is over. */
export interface ClaimTable {
  readonly name: string
  readonly key: ReadonlyArray<string>
  readonly lease: string
}

/** The end of a lease that begins at this moment, not with the transaction, which may have begun earlier. */
export const leaseEnd = (sql: SqlClient.SqlClient, seconds: number) =>
  sql`clock_timestamp() + ${seconds}::float8 * interval '1 second'`

/** Assignments that claim a row under this token. */
export const claiming = (sql: SqlClient.SqlClient, { lease }: ClaimTable, token: Fragment, seconds: number) =>
  sql`claim_token = ${token}, ${sql.literal(lease)} = ${leaseEnd(sql, seconds)}`

const isSame = ({ key }: ClaimTable, row: string, given: string) =>
  key.map((column) => `${row}.${column} = ${given}.${column}`).join(" and ")

/** The fence: the row has the key of `given` and is under the same claim. Null for both is the same, too: no claim. */
export const fence = (sql: SqlClient.SqlClient, table: ClaimTable, row: string, given: string) =>
  sql.literal(`${isSame(table, row, given)} and ${row}.claim_token is not distinct from ${given}.claim_token`)

/** Renews the claims of the rows in `held`. Locked rows are skipped: while one was waited for, the leases of all others would end. */
export const renewal = (sql: SqlClient.SqlClient, table: ClaimTable, held: Fragment, seconds: number) => {
  const key = table.key.map((column) => `${table.name}.${column}`).join(", ")
  return sql`
    with held as (select ${sql.literal(key)} from ${held} for no key update of ${sql.literal(table.name)} skip locked)
    update ${sql.literal(`${DEFAULT_SCHEMA}.${table.name}`)} set ${sql.literal(table.lease)} = ${leaseEnd(sql, seconds)}
    from held where ${sql.literal(isSame(table, table.name, "held"))}
  `
}
