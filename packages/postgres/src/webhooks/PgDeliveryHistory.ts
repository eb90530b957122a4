import { beginningOf, DeliveryHistory, endOf, eventIdBound, monthOf, monthsBetween } from "@agent-platform/webhooks"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** How long these rare statements wait for a lock before they give up: while one waits, all others on the table wait behind it. */
const LOCK_SECONDS = 3

const firstDayOf = (month: string) => `${month}-01`

const make = Effect.map(SqlClient.SqlClient, (sql) => {
  const run = (text: string) => Effect.orDie(sql.unsafe(text))

  /** Locks the partitions against other changes until the transaction ends. */
  const hold = Effect.gen(function* () {
    yield* run(`set local lock_timeout = '${LOCK_SECONDS}s'`)
    yield* run("select pg_advisory_xact_lock(hashtextextended('agent_platform.delivery_history', 0))")
  })

  const months = Effect.gen(function* () {
    const rows = yield* Effect.orDie(sql<{ readonly name: string }>`
      select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'agent_platform.webhook_delivery'::regclass order by relname
    `)
    return rows.flatMap(({ name }) => {
      const found = /^webhook_delivery_(\d{4})_(\d\d)$/.exec(name)
      return found === null ? [] : [`${found[1]}-${found[2]}`]
    })
  })

  /**
   * Forgets the rows of months that never got partitions. Rows of an event that still has a pending delivery stay; deliveries go last,
   * because they say which events these are.
   */
  const forgetUnprepared = Effect.fnUntraced(function* (bound: string) {
    const kept = `(select event_id from agent_platform.webhook_delivery_default where state = 'pending' and event_id < '${bound}')`
    yield* run(
      `delete from agent_platform.webhook_attempt_default where event_id < '${bound}' and event_id not in ${kept}`
    )
    yield* run(`delete from agent_platform.event_default where id < '${bound}' and id not in ${kept}`)
    yield* run(
      `delete from agent_platform.webhook_delivery_default where event_id < '${bound}' and event_id not in ${kept}`
    )
  })

  return DeliveryHistory.of({
    prepare: Effect.fnUntraced(function* (from, to) {
      const wanted = monthsBetween(from, to)
      const known = yield* months
      for (const month of wanted.filter((one) => !known.includes(one))) {
        yield* Effect.orDie(sql`select agent_platform.prepare_delivery_month(${firstDayOf(month)}::date)`)
      }
    }),

    forget: Effect.fnUntraced(function* (before) {
      const isOver = (month: string) => DateTime.isLessThanOrEqualTo(endOf(month), before)
      const bound = eventIdBound(beginningOf(monthOf(before)))
      yield* hold
      const [unprepared] = yield* Effect.orDie(
        sql.unsafe<{ readonly found: boolean }>(
          `select exists (select from agent_platform.event_default where id < '${bound}')
            or exists (select from agent_platform.webhook_delivery_default where event_id < '${bound}') as found`
        )
      )
      if (unprepared?.found === true) yield* forgetUnprepared(bound)
      const over = (yield* months).filter(isOver)
      const forgotten: Array<string> = []
      const kept: Array<string> = []
      for (const month of over) {
        const [dropped] = yield* Effect.orDie(
          sql<{
            readonly is_gone: boolean
          }>`select agent_platform.drop_delivery_month(${firstDayOf(month)}::date) as is_gone`
        )
        const into = dropped?.is_gone === true ? forgotten : kept
        into.push(month)
      }
      return { forgotten, kept }
    })
  })
})

/** The history in partitions by month: to forget a month its three tables are dropped, which costs the same for any number of rows. */
export const layer: Layer.Layer<DeliveryHistory, never, SqlClient.SqlClient> = Layer.effect(DeliveryHistory, make)
