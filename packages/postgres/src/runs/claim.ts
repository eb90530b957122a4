import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import type { Claims, RunQueue } from "@agent-platform/runs"
import type { SqlClient } from "effect/sql"
import { claiming } from "../claims.ts"
import { FIRST_ID, integers, nullableTimestamp, uuids } from "../columns.ts"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import { agentTable } from "./agentTable.ts"
import { runClaims, runToken } from "./runClaims.ts"
import { runTable } from "./runTable.ts"

interface ClaimedRow extends Row {
  readonly organization_id: OrganizationId
  /** Null where nothing was claimed. */
  readonly claim_token: string | null
  readonly last_organization: OrganizationId
  /** The workspace after which the round of the run's organization goes on; null where the round is over. */
  readonly last_workspace: WorkspaceId | null
}

/**
 * `RunQueue.claim`: one statement that locks only the rows that it claims, and waits for no lock. Along the index of ready
 * runs it jumps from organization to organization, and within each from workspace to workspace, so that its cost depends on
 * how many of them it visits and not on the length of their queues. It decides how many runs each workspace gets, and takes as
 * many, skipping those that others claim at this moment. Each organization gets at least one run, so none needs more workspaces
 * than there are runs left for it once the others have one: its `quota`, and one more to see whether its round is over.
 * Sessions are not looked at: only the first waiting run of a session is `ready`, which inserting and settling runs maintain.
 */
export const claim = (sql: SqlClient.SqlClient): RunQueue["Service"]["claim"] => {
  const columns = sql.literal(runTable.selected)
  const agentColumns = sql.literal(agentTable.prefixed)
  // The full order of the index `run_ready`, everywhere: otherwise the planner, while the table is small, takes any index that
  // begins with the workspace for as good, and goes on walking through the workspace's whole history by it.
  const line = sql.literal("run.organization_id, run.workspace_id, run.priority desc, run.due_at, run.id")
  return ({ after, by, leaseSeconds, loggedAt = null, max, shares }) => {
    const { organizations, others, workspaces } = shares
    const named = [...organizations]
    // The organizations that have ready runs: those `ahead` of the last turn, then the others, which are `behind` it.
    const visited = sql`
      ahead as (
        (
          select organization_id from agent_platform.run
          where ready and organization_id > ${after.organization ?? FIRST_ID} order by ${line} limit 1
        )
        union all
        select (
          select run.organization_id from agent_platform.run
          where run.ready and run.organization_id > ahead.organization_id order by ${line} limit 1
        ) from ahead where ahead.organization_id is not null
      ), behind as (
        (
          select organization_id from agent_platform.run
          where ready and organization_id <= ${after.organization ?? FIRST_ID} order by ${line} limit 1
        )
        union all
        select (
          select run.organization_id from agent_platform.run
          where run.ready and run.organization_id > behind.organization_id
            and run.organization_id <= ${after.organization ?? FIRST_ID}
          order by ${line} limit 1
        ) from behind where behind.organization_id is not null
      ), visited as (
        (select organization_id, 0 as lap from ahead where organization_id is not null limit ${max + organizations.size})
        union all
        (select organization_id, 1 as lap from behind where organization_id is not null limit ${max + organizations.size})
      )
    `
    // Those whose turn it is, each with the most runs of it and of one workspace that may be claimed.
    const turn = sql`
      turn as (
        select visited.organization_id, coalesce(share.runs, ${others.runs}::int) as runs,
          coalesce(share.per_workspace, ${others.perWorkspace}::int) as per_workspace,
          row_number() over (order by visited.lap, visited.organization_id) as place
        from visited
        left join unnest(
          ${uuids(named.map(([id]) => id))}, ${integers(named.map(([, { runs }]) => runs))},
          ${integers(named.map(([, { perWorkspace }]) => perWorkspace))}
        ) as share (organization_id, runs, per_workspace) using (organization_id)
        where coalesce(share.runs, ${others.runs}::int) > 0
        order by place limit ${max}
      )
    `
    // The same with the most runs that each can get at all, and the workspace after which its round goes on.
    const served = sql`
      served as (
        select turn.*, least(turn.runs, ${max}::int - count(*) over () + 1) as quota,
          coalesce(later.workspace_id, ${FIRST_ID}) as after
        from turn
        left join unnest(${uuids([...after.workspaces.keys()])}, ${uuids([...after.workspaces.values()])})
          as later (organization_id, workspace_id) using (organization_id)
      )
    `
    // The workspaces of each by the same walk. Their `seat` is their place in the round; those that have no share left have none.
    const seats = sql`
      seat as (
        select served.organization_id, served.place, served.quota, found.workspace_id,
          coalesce(share.runs, served.per_workspace) as runs,
          row_number() over (partition by served.organization_id order by found.lap, found.workspace_id) as seat
        from served
        cross join lateral (
          with recursive ahead as (
            (
              select run.workspace_id from agent_platform.run
              where run.ready and run.organization_id = served.organization_id
                and run.workspace_id > served.after
              order by ${line} limit 1
            )
            union all
            select (
              select run.workspace_id from agent_platform.run
              where run.ready and run.organization_id = served.organization_id
                and run.workspace_id > ahead.workspace_id
              order by ${line} limit 1
            ) from ahead where ahead.workspace_id is not null
          ), behind as (
            (
              select run.workspace_id from agent_platform.run
              where run.ready and run.organization_id = served.organization_id
                and run.workspace_id <= served.after
              order by ${line} limit 1
            )
            union all
            select (
              select run.workspace_id from agent_platform.run
              where run.ready and run.organization_id = served.organization_id
                and run.workspace_id > behind.workspace_id and run.workspace_id <= served.after
              order by ${line} limit 1
            ) from behind where behind.workspace_id is not null
          )
          (
            select workspace_id, 0 as lap from ahead
            where workspace_id is not null limit served.quota + 1 + ${workspaces.size}::int
          )
          union all
          (
            select workspace_id, 1 as lap from behind
            where workspace_id is not null limit served.quota + 1 + ${workspaces.size}::int
          )
        ) as found
        left join unnest(${uuids([...workspaces.keys()])}, ${integers([...workspaces.values()])})
          as share (workspace_id, runs) using (workspace_id)
        where coalesce(share.runs, served.per_workspace) > 0
      ), seated as (
        select *, count(*) over (partition by organization_id) as seats from seat where seat <= quota
      )
    `
    // How many runs each workspace gets: rounds of one run for each seat, until the quota of the organization or `max` is used up.
    const granted = sql`
      granted as (
        select picked.organization_id, picked.workspace_id, count(*)::int as runs
        from (
          select due.organization_id, due.workspace_id
          from (
            select seated.*, row_number() over (
              partition by seated.organization_id order by waiting.round, seated.seat
            ) as rank
            from seated
            cross join lateral (
              select row_number() over () as round from (
                select 1 from agent_platform.run
                where run.ready and run.organization_id = seated.organization_id
                  and run.workspace_id = seated.workspace_id
                  and (run.expires_at is null or run.expires_at > now() or run.attempt > 0)
                order by ${line} limit least(seated.runs, seated.quota - seated.seats + 1)
              ) as waiting
            ) as waiting
          ) as due
          where due.rank <= due.quota
          order by due.rank, due.place limit ${max}
        ) as picked
        group by picked.organization_id, picked.workspace_id
      )
    `
    // Where a workspace of an organization was looked at and got no run, the last one that did: the round goes on after it.
    const unfinished = sql`
      unfinished as materialized (
        select seat.organization_id,
          (array_agg(seat.workspace_id order by seat.seat desc) filter (where granted.runs > 0))[1] as workspace_id
        from seat left join granted using (organization_id, workspace_id)
        group by seat.organization_id having count(*) > count(granted.runs)
      )
    `
    // The runs themselves. Rows that another claim has locked are skipped, so they can be fewer than were granted.
    const claimed = sql`
      claimed as (
        update agent_platform.run set
          agent_version = due.version, model = coalesce(run.overrides ->> 'model', due.model), status = 'running', attempt = run.attempt + 1, ready = false, due_at = null,
          changed_xid = pg_current_xact_id(),
          started_at = coalesce(run.started_at, date_trunc('milliseconds', clock_timestamp())),
          last_seq = run.last_seq + ${loggedAt === null ? 0 : 1}::int, ${claiming(sql, runClaims, runToken(sql, by), leaseSeconds)}
        from (
          select due.id, agent.version, agent.model from granted
          cross join lateral (
            select run.id, run.workspace_id, run.agent_id from agent_platform.run
            where run.ready and run.organization_id = granted.organization_id
              and run.workspace_id = granted.workspace_id
              and (run.expires_at is null or run.expires_at > now() or run.attempt > 0)
            order by ${line} limit granted.runs
            for no key update skip locked
          ) as due
          join agent_platform.agent on agent.workspace_id = due.workspace_id and agent.id = due.agent_id
        ) as due
        where run.id = due.id
        returning run.*
      )
    `
    // The first log event of each attempt.
    const logged = sql`
      logged as (
        insert into agent_platform.run_event (workspace_id, run_id, session_id, seq, type, created_at, attempt, data)
        select workspace_id, id, session_id, last_seq, 'run.started', logged_at, attempt, '{}'
        from claimed cross join (select ${nullableTimestamp(loggedAt)}::timestamptz as logged_at) as request
        where logged_at is not null
      )
    `
    return sql<ClaimedRow>`
      with recursive ${visited}, ${turn}, ${served}, ${seats}, ${granted}, ${unfinished}, ${claimed}, ${logged}
      select ${columns}, run.claim_token, ${agentColumns}, unfinished.workspace_id as last_workspace,
        latest.organization_id as last_organization
      from (select organization_id from turn order by place desc limit 1) as latest
      left join claimed as run on true
      left join agent_platform.agent on agent.workspace_id = run.workspace_id and agent.id = run.agent_id
      left join unfinished on unfinished.organization_id = run.organization_id
      order by run.id
    `.pipe(
      mapRows(
        (rows): Claims => ({
          // Where all ready runs have expired, the only row has no run, but says whose turn it was.
          claimed: rows.flatMap((row) =>
            row.claim_token === null
              ? []
              : [{ run: runTable.read(row), agent: agentTable.readPrefixed(row), claimToken: row.claim_token }]
          ),
          last: {
            organization: rows[0]?.last_organization,
            workspaces: new Map(
              rows.flatMap((row) => (row.last_workspace === null ? [] : [[row.organization_id, row.last_workspace]]))
            )
          }
        })
      )
    )
  }
}
