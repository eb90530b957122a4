/**
 * Events, deliveries and attempts by the month of their event, so that old ones go a month at a time; what the delivery
 * worker keeps of an endpoint's health; and the attempts that outlive their claims.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Ids of events are UUIDv7: they begin with the milliseconds of their time, so that a month is a range of ids. */
const idsFrom = (month: Date) =>
  `${month
    .getTime()
    .toString(16)
    .padStart(12, "0")
    .replace(/^(.{8})/, "$1-")}-0000-0000-000000000000`

const monthsFrom = (first: Date, last: Date): ReadonlyArray<Date> => {
  const months: Array<Date> = []
  for (let at = first; at <= last; at = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1))) months.push(at)
  return months
}

/** Turns a table into one of the same name that is partitioned by `key`, with its rows and its primary key. */
const partition = Effect.fnUntraced(function* (
  table: string,
  key: string,
  primaryKey: string,
  months: ReadonlyArray<Date>
) {
  const sql = yield* SqlClient.SqlClient
  const run = (text: string) => sql.unsafe(text)
  yield* run(`alter table ${table} rename to ${table}_whole`)
  yield* run(`alter table ${table}_whole rename constraint ${table}_pkey to ${table}_whole_pkey`)
  yield* run(`
    create table ${table} (
      like ${table}_whole including defaults including constraints, primary key (${primaryKey})
    ) partition by range (${key})
  `)
  for (const month of months) {
    const [from, to] = [month, new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1))].map(idsFrom)
    const name = `${table}_${month.toISOString().slice(0, 7).replace("-", "_")}`
    yield* run(`create table ${name} partition of ${table} for values from ('${from}') to ('${to}')`)
  }
  // Rows outside of the months that were made are safe here, and only slower to find and to drop.
  yield* run(`create table ${table}_default partition of ${table} default`)
  yield* run(`insert into ${table} select * from ${table}_whole`)
  yield* run(`drop table ${table}_whole`)
})

export const deliveries = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [span] = yield* sql<{ readonly first: Date; readonly last: Date }>`
    select date_trunc('month', least(now(), min(created_at)) at time zone 'UTC') at time zone 'UTC' as first,
      date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' + interval '2 months' as last
    from event
  `
  const months = span === undefined ? [] : monthsFrom(span.first, span.last)
  yield* partition("event", "id", "id", months)
  yield* partition("webhook_delivery", "event_id", "endpoint_id, event_id", months)
  yield* sql.unsafe(`create index webhook_delivery_due on webhook_delivery (due_at) where state = 'pending'`)
  yield* partition("webhook_attempt", "event_id", "endpoint_id, event_id, number", months)

  // Claims that were voided while somebody attempted the delivery; the attempt is recorded when it ends.
  yield* sql.unsafe(`alter table webhook_delivery add column voided_tokens uuid[]`)
  yield* sql.unsafe(
    `alter table webhook_endpoint add column failing_since timestamptz, add column dead_notice_at timestamptz`
  )
})
