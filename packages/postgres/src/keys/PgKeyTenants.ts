/** The tenants of embedded keys: organizations that the host has, and whose names are the host's ids for them. */
import type { OrganizationId } from "@agent-platform/kernel"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Stores a tenant, before it gets its first key. */
export const remember = Effect.fnUntraced(function* (id: OrganizationId, name: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into agent_platform.organization (id, name, created_at) values (${id}, ${name}, clock_timestamp())
    on conflict do nothing
  `
})

/** The name of a tenant; undefined for one that never had a key. */
export const nameOf = Effect.fnUntraced(function* (id: OrganizationId) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly name: string }>`select name from agent_platform.organization where id = ${id}`
  return row?.name
})
