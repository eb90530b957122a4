/**
 * The tables beside `publish_event`, the SQL function by which embedders publish in any language (`migrations/publishing.ts`): its
 * settings, the registry of event types, and names of tenants. It adapts no port; `@agent-platform/embed` calls it.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { texts } from "../columns.ts"

/** The settings of `publish_event`. */
export interface PublishSettings {
  /** The event types that may be published; undefined for any. */
  readonly types: ReadonlyArray<string> | undefined
  readonly dataBytesMax: number
  /** Whether the function wakes workers by NOTIFY, which makes transactions commit one after the other. */
  readonly notifies: boolean
}

/**
 * Writes the settings of `publish_event` where they differ, and adds its types. Types are never removed, so that processes of two
 * releases beside each other do not remove each other's; they are sorted, so that two processes that add the same do not deadlock.
 */
export const configure = Effect.fnUntraced(function* ({ dataBytesMax, notifies, types }: PublishSettings) {
  const sql = yield* SqlClient.SqlClient
  const isOpen = types === undefined
  const write = Effect.gen(function* () {
    yield* sql`
      update agent_platform.webhook_setting
      set is_open = ${isOpen}, data_bytes_max = ${dataBytesMax}, notifies = ${notifies}
      where is_open <> ${isOpen} or data_bytes_max <> ${dataBytesMax} or notifies <> ${notifies}
    `
    yield* sql`
      insert into agent_platform.webhook_event_type (name) select unnest(${texts([...(types ?? [])].sort())})
      on conflict do nothing
    `
  })
  yield* sql.withTransaction(write)
})

/** Stores the name of a tenant, so that it can be shown; the first name stays. */
export const rememberTenant = Effect.fnUntraced(function* (id: string, name: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into agent_platform.webhook_tenant (id, name) values (${id}, ${name}) on conflict do nothing`
})

/** The name of a tenant; undefined for one that never had an endpoint. */
export const nameOfTenant = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly name: string }>`
    select name from agent_platform.webhook_tenant where id = ${id}
  `
  return row?.name
})

/** The statement that calls `publish_event`. A client of the host sends it, so its parameters are texts and the schema is written out. */
export const publishStatement = (schema: string): string =>
  `select ${schema}.publish_event($1::text, $2::text, ($3::text)::jsonb, ($4::text)::uuid) as id`
