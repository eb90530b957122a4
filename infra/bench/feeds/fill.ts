/** Feeds with many rows, made by the database itself. */
import { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Rows that are made by one statement. */
const PORTION = 500_000

/** The time of row `n` of so many, from oldest to newest, and an id that was made then. */
const timed = (rows: number) => `
  cross join lateral (select timestamptz '2026-11-21T12:00:00Z' - (${rows} - n) * interval '1 year' / ${rows} as at) as time
  cross join lateral (
    select (lpad(to_hex((extract(epoch from date_trunc('milliseconds', at)) * 1000)::bigint), 12, '0')
      || '7' || lpad(to_hex(n % 4096), 3, '0') || '8' || lpad(to_hex(n), 15, '0'))::uuid as id
  ) as made
`

/** Whose row it is: four in ten are of the first workspace, three of its organization, the rest of ninety-nine others. */
const OWNED = `
  join lateral (select case when n % 10 < 7 then 1 else 2 + n % 99 end as number) as chosen on true
  join bench_workspace owner on owner.number = chosen.number
`
const WORKSPACE = "case when n % 10 not in (4, 5, 6) then owner.workspace_id end"

/** Fills the feeds of an empty database with so many entries and as many notices; answers whom most of them concern. */
export const fillFeeds = Effect.fnUntraced(function* (rows: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table bench_workspace (number bigint primary key, organization_id uuid, workspace_id uuid)`
  yield* sql`
    insert into bench_workspace
    select n, ('00000000-0000-7000-8000-' || lpad(to_hex(n / 10 + 1), 12, '0'))::uuid, gen_random_uuid()
    from generate_series(1, 100) as n
  `
  yield* sql`insert into organization select distinct organization_id, 'Acme', now() from bench_workspace`
  yield* sql`
    insert into workspace (organization_id, id, name, timezone, created_at)
    select organization_id, workspace_id, 'Main', 'UTC', now() from bench_workspace
  `
  for (let first = 1; first <= rows; first += PORTION) {
    const series = `generate_series(${first}, ${Math.min(rows, first + PORTION - 1)}) as n`
    yield* sql.unsafe(`
      insert into activity (organization_id, workspace_id, id, action, actor_type, actor_id, actor_label, summary,
        resource_type, resource_id, payload, created_at)
      select owner.organization_id, ${WORKSPACE}, made.id, 'run.triggered',
        case when n / 10 % 10 < 5 then 'user' when n / 10 % 10 < 8 then 'system' else 'agent' end,
        '01a1fd31-ae8a-73b5-8d35-ead780a3b245', 'CI', 'CI triggered a run of the agent ''Greeter''',
        case when n / 100 % 10 < 5 then 'run' when n / 100 % 10 < 8 then 'agent' else 'member' end,
        made.id::text, jsonb_build_object('session_id', made.id), time.at
      from ${series} ${timed(rows)} ${OWNED}
    `)
    yield* sql.unsafe(`
      insert into notification (organization_id, workspace_id, id, type, title, body, payload, created_at)
      select owner.organization_id, ${WORKSPACE}, made.id, 'run.failed', 'A run failed',
        'The model did not answer within 30 seconds', jsonb_build_object('run_id', made.id), time.at
      from ${series} ${timed(rows)} ${OWNED}
    `)
  }
  yield* sql`vacuum analyze`
  const [one] = yield* sql<{ readonly organization_id: string; readonly workspace_id: string }>`
    select organization_id, workspace_id from bench_workspace where number = 1
  `
  return {
    organizationId: OrganizationId.make(one?.organization_id ?? ""),
    workspaceId: WorkspaceId.make(one?.workspace_id ?? "")
  }
})
