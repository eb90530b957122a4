/** Who erases what each table says in words: a new table with texts must stand here. */
import { assert, layer as suite } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { asOwner, databaseLayer } from "./support/database.ts"

/** Whose eraser has the table. */
const ERASED: Readonly<Record<string, string>> = {
  activity: "FeedEraser",
  agent: "RunEraser",
  agent_version: "RunEraser",
  agent_webhook: "RunEraser",
  schedule: "RunEraser",
  api_key: "KeyEraser",
  app_user: "KeyEraser",
  compressed_log: "RunEraser, with its run",
  event: "DeliveryEraser",
  idempotency_key: "RecordEraser",
  login_session: "KeyEraser, with its member",
  member: "KeyEraser",
  member_workspace: "KeyEraser",
  notification: "FeedEraser",
  organization: "KeyEraser, its name",
  price_override: "LedgerEraser",
  provider_key: "KeyEraser",
  run: "RunEraser",
  run_checkpoint: "RunEraser",
  run_content: "RunEraser, with its run",
  run_event: "RunEraser",
  template: "KeyEraser",
  template_member: "KeyEraser",
  tool_secret: "KeyEraser",
  webhook_attempt: "DeliveryEraser",
  webhook_delivery: "DeliveryEraser",
  webhook_endpoint: "DeliveryEraser",
  webhook_replay: "DeliveryEraser",
  workspace: "KeyEraser, its name"
}

/** Whose texts are nothing that a tenant or a person has said or is called by. */
const NOTHING_PERSONAL: Readonly<Record<string, string>> = {
  billing_month: "the month and its time zone",
  call_reservation: "provider, model and version of a price; LedgerEraser takes the run out",
  erasure: "kinds, states and counts",
  fingerprint_key: "the deployment's key, sealed",
  job_run: "what jobs came to, in numbers",
  latency_roll_up: "the level and the model",
  login_attempt: "provider, way back and network of somebody who is not known yet, for ten minutes",
  model_call: "provider, model, codes and version of a price; LedgerEraser takes the run out",
  outcome_roll_up: "the level",
  notification_closing: "a sentence of ours, in the place of the title of a notice",
  platform_migration: "of the schema",
  record_key: "the deployment's keys",
  roll_up_state: "places in the ledger",
  usage_correction: "provider, model and the operator's reason; LedgerEraser takes the run out",
  usage_roll_up: "the level, provider and model"
}

/** Tables with a column that can hold a text, whatever its length, partitions left out. */
const wordy = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.orDie(sql<{ readonly name: string }>`
    select distinct relname::text as name from pg_class
    join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
      and atttypid = any(array['text', 'text[]', 'jsonb', 'json', 'bytea', 'varchar']::regtype[])
    order by 1
  `)
)

const unnamed = Effect.map(wordy, (tables) => {
  const names = tables.map(({ name }) => name)
  const known = [...Object.keys(ERASED), ...Object.keys(NOTHING_PERSONAL)]
  return {
    missing: names.filter((name) => !known.includes(name)),
    gone: known.filter((name) => !names.includes(name)),
    twice: Object.keys(ERASED).filter((name) => name in NOTHING_PERSONAL)
  }
})

suite(databaseLayer)("a table with texts", (it) => {
  it.effect("says who erases them, or that they are nobody's", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* unnamed, { missing: [], gone: [], twice: [] })
    })
  )

  it.effect("is missed where it does not", () =>
    Effect.gen(function* () {
      yield* asOwner((sql) => sql`create table added (id uuid primary key, said bytea)`)
      assert.deepStrictEqual((yield* unnamed).missing, ["added"])
    })
  )
})
