/** The caps of the customers of a service that embeds metering alone. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { readNullableMoney } from "../money.ts"

/** Gives a customer a cap of its own, in USD a month; null for none. */
export const write = Effect.fnUntraced(function* (id: string, customer: string, capUsd: string | null) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into agent_platform.spend_cap (customer_id, customer, monthly_cap_usd) values (${id}, ${customer}, ${capUsd}::numeric)
    on conflict (customer_id) do update set monthly_cap_usd = excluded.monthly_cap_usd
  `
})

/** A customer's own cap; undefined for one that has none of its own. */
export const read = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly cap: string | null }>`
    select monthly_cap_usd as cap from agent_platform.spend_cap where customer_id = ${id}
  `
  return row === undefined ? undefined : readNullableMoney(row.cap)
})
