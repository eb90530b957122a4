/** Feeds with many rows, made by the database itself. */
import { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { loadWithoutIndexes } from "./withoutIndexes.ts"

/** Rows that are made by one statement. */
const PORTION = 2_500_000

/** After so many rows the owners repeat: ten kinds of row, and ninety-nine other workspaces. */
const ROUND = 990

/** The time of the newest row, and how far back the oldest is. */
export const NEWEST_MILLIS = Date.UTC(2026, 10, 21, 12)
const YEAR_MILLIS = 365 * 86_400_000

/**
 * Rows `first` to `last` of so many, from 0 and from oldest to newest: `n`, whose it is, when it was made, an id of that time,
 * and its number among its owner's. The id is a UUIDv7 that ends in `n`. `offset 0` keeps Postgres from merging the query into the one
 * around it, which would compute the id again at each place that names it.
 */
const made = (first: number, last: number, rows: number) => `
  (
    select n, owner.*, to_timestamp(millis / 1000.0::float8) as at, n / ${ROUND} * owner.share + owner.place as number,
      encode(int8send((millis << 16) | x'7000'::bigint | (n & 4095)) || int8send(x'8000000000000000'::bigint | n), 'hex')::uuid
        as id
    from (
      select n, ${NEWEST_MILLIS} - (${rows - 1} - n) * ${YEAR_MILLIS} / ${rows} as millis
      from generate_series(${first}::bigint, ${last}::bigint) as n
    ) as timed join bench_owner owner on owner.rest = n % ${ROUND} offset 0
  ) as made
`

/** Digits of `n` choose: its tens the actor, a user in five of ten, and its hundreds the resource, a run in five of ten. */
const activityOf = (series: string) => `
  insert into agent_platform.activity (organization_id, workspace_id, id, action, actor_type, actor_id, actor_label, summary,
    resource_type, resource_id, payload, created_at)
  select organization_id, workspace_id, id, 'run.triggered',
    case when n / 10 % 10 < 5 then 'user' when n / 10 % 10 < 8 then 'system' else 'agent' end,
    '01a1fd31-ae8a-73b5-8d35-ead780a3b245'::uuid, 'CI', 'CI triggered a run of the agent ''Greeter''',
    case when n / 100 % 10 < 5 then 'run' when n / 100 % 10 < 8 then 'agent' else 'member' end,
    id, ('{"session_id":"' || id || '"}')::json, at
  from ${series}
`

const noticesOf = (series: string, number = "number") => `
  insert into agent_platform.notification (organization_id, workspace_id, id, type, title, body, payload, created_at, number)
  select organization_id, workspace_id, id, 'run.failed', 'A run failed',
    'The model did not answer within 30 seconds', ('{"run_id":"' || id || '"}')::jsonb, at, ${number}
  from ${series}
`

/**
 * The owners of rows, by `rest`, a row's number modulo `ROUND`: four in ten rows are of the first workspace, three of its organization, the
 * others of ninety-nine more. `place` is which of the owner's rows of a round it is, and `share` how many those are.
 */
const makeOwners = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table bench_workspace (number bigint primary key, organization_id uuid, workspace_id uuid)`
  yield* sql`
    insert into bench_workspace
    select n, ('00000000-0000-7000-8000-' || lpad(to_hex(n / 10 + 1), 12, '0'))::uuid,
      ('00000000-0000-7000-9000-' || lpad(to_hex(n), 12, '0'))::uuid
    from generate_series(1, 100) as n
  `
  yield* sql`insert into agent_platform.organization select distinct organization_id, 'Acme', now() from bench_workspace`
  yield* sql`
    insert into agent_platform.workspace (organization_id, id, name, timezone, created_at)
    select organization_id, workspace_id, 'Main', 'UTC', now() from bench_workspace
  `
  yield* sql.unsafe(`
    create table bench_owner as
    select rest, organization_id, workspace_id,
      row_number() over (partition by organization_id, workspace_id order by rest) as place,
      count(*) over (partition by organization_id, workspace_id) as share
    from (
      select rest, organization_id, case when rest % 10 not in (4, 5, 6) then workspace_id end as workspace_id
      from generate_series(0, ${ROUND - 1}) as rest
      join bench_workspace on number = case when rest % 10 < 7 then 1 else 2 + rest % 99 end
    ) as chosen
  `)
  yield* sql`analyze bench_owner`
})

/**
 * Fills the feeds of an empty database with so many entries and as many notices. The notices have the numbers, and their owners the
 * tallies, that the product's own filing would give. Answers the workspace and the organization of most of them.
 */
export const fillFeeds = Effect.fnUntraced(function* (rows: number) {
  const sql = yield* SqlClient.SqlClient
  yield* makeOwners
  const portions = Array.from({ length: Math.ceil(rows / PORTION) }, (_, index) =>
    made(index * PORTION, Math.min(rows, (index + 1) * PORTION) - 1, rows)
  )
  yield* loadWithoutIndexes({
    "agent_platform.activity": portions.map(activityOf),
    "agent_platform.notification": portions.map((portion) => noticesOf(portion))
  })
  yield* sql`
    insert into agent_platform.notification_tally (organization_id, workspace_id, filed)
    select organization_id, workspace_id, max(number) from agent_platform.notification group by 1, 2
  `
  const [one] = yield* sql<{ readonly organization_id: string; readonly workspace_id: string }>`
    select organization_id, workspace_id from bench_workspace where number = 1
  `
  return {
    organizationId: OrganizationId.make(one?.organization_id ?? ""),
    workspaceId: WorkspaceId.make(one?.workspace_id ?? "")
  }
})

/** Posts so many notices more to a database that was filled with so many rows, without numbers as all that are posted. */
export const postNotices = Effect.fnUntraced(function* (rows: number, more: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(noticesOf(made(rows, rows + more - 1, rows), "null::bigint"))
})
