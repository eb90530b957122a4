import type { CallLedger } from "@agent-platform/billing"
import { firstIdAt } from "@agent-platform/kernel"
import { DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql"

/** How long this rare work waits for a lock before it gives up: behind one that waits, everybody waits. */
const LOCK_SECONDS = 3

/** The months, in UTC, that calls are kept apart by. */
const monthsBetween = (from: DateTime.Utc, to: DateTime.Utc): ReadonlyArray<DateTime.Utc> => {
  const months: Array<DateTime.Utc> = []
  for (
    let at = DateTime.startOf(from, "month");
    DateTime.isLessThanOrEqualTo(at, to);
    at = DateTime.add(at, { months: 1 })
  )
    months.push(at)
  return months
}

const nameOf = (month: DateTime.Utc) => `model_call_${DateTime.formatIso(month).slice(0, 7).replace("-", "_")}`

/** No id of that month or a later one is below it, version and variant aside. */
const boundOf = (month: DateTime.Utc) => `${firstIdAt(month).slice(0, 13)}-0000-0000-000000000000`

/**
 * `CallLedger.prepareMonths`. A table of its own is filled and attached, which keeps writers waiting only while it is attached.
 * Calls that came before there was room for their month lie in the default partition, and move.
 */
export const prepareMonths = (sql: SqlClient.SqlClient): CallLedger["Service"]["prepareMonths"] => {
  const run = (text: string) => Effect.orDie(sql.unsafe(text))
  const missing = Effect.fnUntraced(function* (from: DateTime.Utc, to: DateTime.Utc) {
    const rows = yield* Effect.orDie(sql<{ readonly name: string }>`
      select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'model_call'::regclass
    `)
    const known = new Set(rows.map(({ name }) => name))
    return monthsBetween(from, to).filter((month) => !known.has(nameOf(month)))
  })
  const give = Effect.fnUntraced(function* (month: DateTime.Utc) {
    const [name, first, end] = [nameOf(month), boundOf(month), boundOf(DateTime.add(month, { months: 1 }))]
    yield* run(`create table ${name} (like model_call including all)`)
    yield* run(`
      with moved as (delete from model_call_default where id >= '${first}' and id < '${end}' returning *)
      insert into ${name} select * from moved
    `)
    yield* run(`alter table model_call attach partition ${name} for values from ('${first}') to ('${end}')`)
  })
  return Effect.fnUntraced(function* (from, to) {
    if ((yield* missing(from, to)).length === 0) return
    yield* run(`set local lock_timeout = '${LOCK_SECONDS}s'`)
    yield* run("select pg_advisory_xact_lock(hashtextextended('agent_platform.model_call', 0))")
    const months = yield* missing(from, to)
    if (months.length === 0) return
    yield* run("lock table model_call in access exclusive mode")
    yield* Effect.forEach(months, give, { discard: true })
  })
}
