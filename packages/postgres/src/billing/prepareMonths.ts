import type { CallLedger } from "@agent-platform/billing"
import { DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql"

/** The first days of the months, in UTC, by which calls are partitioned. */
const monthsBetween = (from: DateTime.Utc, to: DateTime.Utc): ReadonlyArray<string> => {
  const months: Array<string> = []
  for (
    let at = DateTime.startOf(from, "month");
    DateTime.isLessThanOrEqualTo(at, to);
    at = DateTime.add(at, { months: 1 })
  )
    months.push(DateTime.formatIso(at).slice(0, 10))
  return months
}

const partitionOf = (month: string) => `model_call_${month.slice(0, 7).replace("-", "_")}`

/**
 * `CallLedger.prepareMonths`, by a function of the tables' owner. A new table is filled before it is attached, so that writers
 * wait only for the attaching. Calls whose month had no partition lie in the default one, and move.
 */
export const prepareMonths =
  (sql: SqlClient.SqlClient): CallLedger["Service"]["prepareMonths"] =>
  (from, to) =>
    Effect.gen(function* () {
      const rows = yield* sql<{ readonly name: string }>`
        select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
        where inhparent = 'agent_platform.model_call'::regclass
      `
      const known = new Set(rows.map(({ name }) => name))
      for (const month of monthsBetween(from, to).filter((one) => !known.has(partitionOf(one)))) {
        yield* sql`select agent_platform.prepare_call_month(${month}::date)`
      }
    }).pipe(Effect.orDie)
