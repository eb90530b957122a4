/** Erasing by SQL: for each kind of row that a domain has, the condition under which it is erased. */
import { type Erased, type ErasedCounts, type Eraser, portionOf, rowsMaxOf } from "@agent-platform/kernel"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"

/** Rows of one table that an erasure deletes, or in which it overwrites columns. */
export interface ErasedTable {
  /** The name of such rows in counts, in the plural. */
  readonly kind: string
  readonly table: string
  /** The columns that tell its rows apart. */
  readonly key: ReadonlyArray<string>
  /** The condition for the rows of an erasure; undefined where it has none. With `set` it leaves out rows that were changed before. */
  readonly where: (what: Erased) => Fragment | undefined
  /**
   * A second condition for deleting a row now: nothing refers to it any more. Counts leave it out, since all that refers to the row
   * is deleted before it.
   */
  readonly free?: Fragment | undefined
  /** Whether counts leave these rows out, because another table or another tenant of the same erasure has counted them. */
  readonly isCountedElsewhere?: ((what: Erased) => boolean) | undefined
  /** The columns as they become, as `run_id = …`; without it the rows are deleted. */
  readonly set?: string | undefined
}

/** Counts the rows that the condition selects, up to `max`. */
export const countRows = (
  sql: SqlClient.SqlClient,
  { table }: Pick<ErasedTable, "table">,
  where: Fragment,
  max: number
) =>
  Effect.map(
    Effect.orDie(sql<{ readonly count: number }>`
      select count(*)::int as count from (
        select from agent_platform.${sql.literal(table)} where ${where} limit ${max}
      ) as meant
    `),
    ([row]) => row?.count ?? 0
  )

/** Erases up to `max` rows that the condition selects, and returns how many there were. */
export const eraseRows = (
  sql: SqlClient.SqlClient,
  { key, set, table }: Omit<ErasedTable, "where" | "kind">,
  where: Fragment,
  max: number
): Effect.Effect<number> => {
  const keys = sql.literal(key.join(", "))
  const isIt = sql.literal(key.map((column) => `erased.${column} = meant.${column}`).join(" and "))
  // The lock waits for transactions that have inserted a reference to one of the rows and have not committed yet.
  const meant = sql`
    with meant as materialized (
      select ${keys} from agent_platform.${sql.literal(table)} where ${where} limit ${max} for update
    )
  `
  const statement =
    set === undefined
      ? sql`${meant} delete from agent_platform.${sql.literal(table)} as erased using meant where ${isIt} returning 1`
      : sql`${meant} update agent_platform.${sql.literal(table)} as erased set ${sql.literal(set)} from meant where ${isIt} returning 1`
  return Effect.map(Effect.orDie(statement), (rows) => rows.length)
}

/** Sums what `act` returns for the tables in which the erasure has rows, by the kinds of these rows. */
const sumByKind = Effect.fnUntraced(function* (
  tables: ReadonlyArray<ErasedTable>,
  what: Erased,
  act: (table: ErasedTable, where: Fragment) => Effect.Effect<number>
) {
  const counts: Record<string, number> = {}
  for (const table of tables) {
    const where = table.where(what)
    if (where !== undefined) counts[table.kind] = (counts[table.kind] ?? 0) + (yield* act(table, where))
  }
  return counts satisfies ErasedCounts
})

/** The eraser of tables, which are given in the order of erasing: a table that refers to another comes before it. */
export const eraserOf = (sql: SqlClient.SqlClient, tables: ReadonlyArray<ErasedTable>): Eraser => ({
  count: (what, max) =>
    sumByKind(
      tables.filter((table) => table.isCountedElsewhere?.(what) !== true),
      what,
      (table, where) => countRows(sql, table, where, max)
    ),
  erase: (what, max) =>
    Effect.map(
      sumByKind(tables, what, (table, where) =>
        eraseRows(sql, table, table.free === undefined ? where : sql`${where} and ${table.free}`, rowsMaxOf(what, max))
      ),
      (counts) => portionOf(what, counts)
    )
})
