import { beginningOf, DeliveryHistory, endOf, eventIdBound, monthOf, monthsBetween } from "@agent-platform/webhooks"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** The tables that are partitioned by the month of their event, in the order in which they are locked. */
const TABLES = [
  { table: "event", key: "id" },
  { table: "webhook_delivery", key: "event_id" },
  { table: "webhook_attempt", key: "event_id" }
] as const

/** How long these rare statements wait for a lock before they give up: behind one that waits, everybody waits. */
const LOCK_SECONDS = 3

const partitionOf = (table: string, month: string) => `${table}_${month.replace("-", "_")}`

const make = Effect.map(SqlClient.SqlClient, (sql) => {
  const run = (text: string) => Effect.orDie(sql.unsafe(text))

  /** Until the transaction ends, nobody else changes partitions, and whoever writes deliveries waits. */
  const hold = Effect.gen(function* () {
    yield* run(`set local lock_timeout = '${LOCK_SECONDS}s'`)
    yield* run("select pg_advisory_xact_lock(hashtextextended('agent_platform.delivery_history', 0))")
  })
  const holdTables = run(`lock table only ${TABLES.map(({ table }) => table).join(", only ")} in access exclusive mode`)

  const months = Effect.gen(function* () {
    const rows = yield* Effect.orDie(sql<{ readonly name: string }>`
      select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'webhook_delivery'::regclass order by relname
    `)
    return rows.flatMap(({ name }) => {
      const found = /^webhook_delivery_(\d{4})_(\d\d)$/.exec(name)
      return found === null ? [] : [`${found[1]}-${found[2]}`]
    })
  })

  const isPendingIn = (partition: string) =>
    Effect.map(
      Effect.orDie(
        sql.unsafe<{ readonly found: boolean }>(
          `select exists (select from ${partition} where state = 'pending') as found`
        )
      ),
      ([row]) => row?.found === true
    )

  /** Rows that came before there was room for their month lie in the default partition, and move. */
  const give = Effect.fnUntraced(function* (month: string) {
    const [from, to] = [beginningOf(month), endOf(month)].map(eventIdBound)
    for (const { key, table } of TABLES) {
      const partition = partitionOf(table, month)
      yield* run(`create table ${partition} (like ${table} including all)`)
      yield* run(`
        with moved as (delete from ${table}_default where ${key} >= '${from}' and ${key} < '${to}' returning *)
        insert into ${partition} select * from moved
      `)
      yield* run(`alter table ${table} attach partition ${partition} for values from ('${from}') to ('${to}')`)
    }
  })

  /** What never had room: row by row, and everything about an event that is pending anywhere stays. */
  const forgetUnroomed = Effect.fnUntraced(function* (bound: string) {
    const kept = `(select event_id from webhook_delivery_default where state = 'pending' and event_id < '${bound}')`
    for (const { key, table } of [...TABLES].reverse()) {
      if (table === "webhook_delivery") continue
      yield* run(`delete from ${table}_default where ${key} < '${bound}' and ${key} not in ${kept}`)
    }
    yield* run(`delete from webhook_delivery_default where event_id < '${bound}' and event_id not in ${kept}`)
  })

  return DeliveryHistory.of({
    prepare: Effect.fnUntraced(function* (from, to) {
      const wanted = monthsBetween(from, to)
      const isMissing = (known: ReadonlyArray<string>) => wanted.filter((month) => !known.includes(month))
      if (isMissing(yield* months).length === 0) return
      yield* hold
      const missing = isMissing(yield* months)
      if (missing.length === 0) return
      yield* holdTables
      yield* Effect.forEach(missing, give, { discard: true })
    }),

    forget: Effect.fnUntraced(function* (before) {
      const isOver = (month: string) => DateTime.isLessThanOrEqualTo(endOf(month), before)
      const bound = eventIdBound(beginningOf(monthOf(before)))
      yield* hold
      const [unroomed] = yield* Effect.orDie(
        sql.unsafe<{ readonly found: boolean }>(
          `select exists (select from event_default where id < '${bound}')
            or exists (select from webhook_delivery_default where event_id < '${bound}') as found`
        )
      )
      if (unroomed?.found === true) yield* forgetUnroomed(bound)
      const over = (yield* months).filter(isOver)
      const forgotten: Array<string> = []
      const kept: Array<string> = []
      for (const month of over) {
        const partition = partitionOf("webhook_delivery", month)
        // Asked again once nobody can replay anything there any more.
        const isKept = (yield* isPendingIn(partition)) || (yield* Effect.andThen(holdTables, isPendingIn(partition)))
        if (isKept) {
          kept.push(month)
          continue
        }
        for (const { table } of TABLES) yield* run(`drop table ${partitionOf(table, month)}`)
        forgotten.push(month)
      }
      return { forgotten, kept }
    })
  })
})

/** The history in partitions by month: forgetting one is dropping three tables, whatever is in them. */
export const layer: Layer.Layer<DeliveryHistory, never, SqlClient.SqlClient> = Layer.effect(DeliveryHistory, make)
