/** A made-up next release is brought over a database that is filled and in use, while the apps of this release go on. */
import { layerClient, migrateDomains, TIMEOUTS } from "@agent-platform/postgres"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { PLATFORM, STEPS } from "../../packages/postgres/src/Migrations.ts"
import type { Step } from "../../packages/postgres/src/migrations/Step.ts"
import { fillRuns } from "../bench/retention/fill.ts"
import { type App, makeDatabase, startApi, startApp, until } from "./harness.ts"

const RUNS = 10_000
const CALLERS = 6

/** A column, a backfill, an index and a foreign key on the largest tables, and a part of one that gets a table of its own. */
const NEXT: ReadonlyArray<Step> = [
  { name: "add_region", statements: () => ["alter table run add column region text"] },
  {
    name: "fill_region",
    table: "run",
    backfill: (schema) => `
      with portion as (
        select id from ${schema}.run where id > coalesce($1::text, '00000000-0000-0000-0000-000000000000')::uuid
        order by id limit $2::text::int
      ), written as (
        update ${schema}.run set region = 'here' from portion where run.id = portion.id and region is null returning 1
      )
      select case when count(*) = $2::text::int then max(id::text) end as place, (select count(*) from written) as rows
      from portion
    `
  },
  { name: "index_region", index: { name: "run_region", table: "run", definition: "(workspace_id, region, id)" } },
  {
    name: "add_log_reference",
    statements: () => [
      `alter table run_event add constraint run_event_run foreign key (run_id, workspace_id) references run (id, workspace_id)
        on delete cascade not valid`
    ]
  },
  { name: "check_log_reference", statements: () => ["alter table run_event validate constraint run_event_run"] },
  {
    name: "split_spend",
    statements: (schema) => [
      "create table run_cost (run_id uuid primary key, workspace_id uuid not null, cost_usd numeric(24, 12) not null)",
      `create function run_cost_follows() returns trigger language plpgsql as $$
        begin
          insert into ${schema}.run_cost values (new.id, new.workspace_id, new.cost_usd)
            on conflict (run_id) do update set cost_usd = excluded.cost_usd;
          return null;
        end
      $$`,
      // Apps of the release before write to the old place alone.
      "grant insert, select, update on run_cost to public",
      "create trigger run_cost_written after insert or update of cost_usd on run for each row execute function run_cost_follows()"
    ]
  },
  {
    name: "fill_spend",
    table: "run",
    backfill: (schema) => `
      with portion as (
        select id, workspace_id, cost_usd from ${schema}.run
        where id > coalesce($1::text, '00000000-0000-0000-0000-000000000000')::uuid order by id limit $2::text::int
      ), written as (
        insert into ${schema}.run_cost select id, workspace_id, cost_usd from portion
        on conflict (run_id) do nothing returning 1
      )
      select case when count(*) = $2::text::int then max(id::text) end as place, (select count(*) from written) as rows
      from portion
    `
  }
]

let database: Awaited<ReturnType<typeof makeDatabase>>
let api: Awaited<ReturnType<typeof startApi>>
let worker: App

beforeAll(async () => {
  database = await makeDatabase(inject("postgresUrl"))
  await fillRuns(database.superuserUrl, database.credentials, { total: RUNS, old: RUNS / 10, days: 35 })
  api = await startApi(database.url)
  worker = await startApp("worker", database.url)
})

afterAll(async () => {
  await worker?.kill()
  await api?.kill()
  await database?.drop()
})

const asOwner = <A, E>(act: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.runPromise(
    act.pipe(
      Effect.provide(
        layerClient({ url: Redacted.make(database.ownerUrl), maxConnections: 2, timeouts: TIMEOUTS.migrations })
      )
    )
  )

const read = <Row extends object>(statement: string) =>
  asOwner(SqlClient.SqlClient.use((sql) => sql.unsafe<Row>(statement)))

describe("the next release", () => {
  it("is brought over a filled database while requests and runs go on, and fails none of them", async () => {
    const { agent_id, workspace_key } = database.credentials
    const failures: Array<string> = []
    const triggered: Array<string> = []
    let answered = 0
    let over = false
    const calling = Array.from({ length: CALLERS }, async (_, caller) => {
      for (let count = caller; !over; count++) {
        const isTrigger = count % 3 === 0
        const sent = isTrigger
          ? api.ask(workspace_key, "POST", "/api/v1/runs/", { agent_id, message: "hello" })
          : api.ask(workspace_key, "GET", triggered.length > 0 ? `/api/v1/runs/${triggered.at(-1)}` : "/api/v1/runs/")
        await sent.then(
          ({ body, status }) => {
            if (status >= 300) failures.push(`${status} ${JSON.stringify(body)}`)
            else if (isTrigger) triggered.push(String(body.id ?? body.run_id))
            answered++
          },
          (error: unknown) => failures.push(String(error))
        )
      }
    })
    try {
      await until("requests are answered", () => answered > 100 || undefined)
      const steps = { ...STEPS, runs: [...STEPS.runs, ...NEXT] }
      const run = await asOwner(migrateDomains(PLATFORM, steps))
      assert.strictEqual(run.length, NEXT.length)
      const before = answered
      await until(
        "the apps of this release have gone on over the schema of the next",
        () => answered > before + 100 || undefined
      )
    } finally {
      over = true
      await Promise.all(calling)
    }
    assert.deepStrictEqual(failures, [])
    assert.isAbove(triggered.length, 50)
    await until("every run has ended", async () => {
      const [left] = await read<{ n: number }>(
        "select count(*)::int as n from agent_platform.run where status in ('queued', 'running')"
      )
      return left?.n === 0 || undefined
    })
    const [found] = await read<Record<string, unknown>>(`
      select count(*) filter (where status <> 'succeeded')::int as failed,
        count(*) filter (where region is null and created_at < now() - interval '1 day')::int as unfilled,
        count(*)::int - (select count(*)::int from agent_platform.run_cost) as unsplit,
        (select convalidated from pg_constraint where conname = 'run_event_run') as is_checked,
        (select indisvalid from pg_index where indexrelid = 'agent_platform.run_region'::regclass) as is_indexed
      from agent_platform.run
    `)
    assert.deepStrictEqual({ ...found }, { failed: 0, unfilled: 0, unsplit: 0, is_checked: true, is_indexed: true })
  })
})
