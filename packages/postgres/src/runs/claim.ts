import { WorkspaceId } from "@agent-platform/kernel"
import type { Claims, RunStore } from "@agent-platform/runs"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { integers, nullableTimestamp, uuids } from "../columns.ts"
import { AGENT_COLUMNS, type AgentRow, toAgent } from "./agentRow.ts"
import { RUN_COLUMNS, type RunRow, toRun } from "./runRow.ts"

/** Less than every workspace's id. */
const NOBODY = WorkspaceId.make("00000000-0000-0000-0000-000000000000")

type ClaimedRow = RunRow & AgentRow & { readonly claim_token: string; readonly last_workspace_id: WorkspaceId }

/**
 * `RunStore.claim`: one statement that takes no lock but on the rows that it claims, and waits for none. It jumps from
 * workspace to workspace by the index of what is ready, so that its cost follows the number of workspaces that it visits
 * and not the length of their queues; decides how many runs each gets; and takes so many, past those that others claim
 * at this moment. Sessions need no look: only the first in line is ready, which is kept up where runs join and end.
 */
export const claim = (sql: SqlClient.SqlClient): RunStore["Service"]["claim"] => {
  const columns = sql.literal(RUN_COLUMNS)
  const agentColumns = sql.literal(AGENT_COLUMNS)
  // The order of the index `run_ready`, in full wherever it is read: while the table is small the planner takes any other
  // index that begins with the workspace for as good, and walks through the workspace's whole history by it from then on.
  const line = sql.literal("run.workspace_id, run.priority desc, run.due_at, run.id")
  return ({ after = NOBODY, leaseSeconds, loggedAt = null, max, perWorkspace, rooms }) =>
    sql<ClaimedRow>`
      with recursive ahead as (
        (select workspace_id from run where ready and workspace_id > ${after} order by ${line} limit 1)
        union all
        select (
          select run.workspace_id from run
          where run.ready and run.workspace_id > ahead.workspace_id order by ${line} limit 1
        ) from ahead where ahead.workspace_id is not null
      ), behind as (
        (select workspace_id from run where ready and workspace_id <= ${after} order by ${line} limit 1)
        union all
        select (
          select run.workspace_id from run
          where run.ready and run.workspace_id > behind.workspace_id and run.workspace_id <= ${after}
          order by ${line} limit 1
        ) from behind where behind.workspace_id is not null
      ), visited as (
        (select workspace_id, 0 as lap from ahead where workspace_id is not null limit ${max + rooms.size})
        union all
        (select workspace_id, 1 as lap from behind where workspace_id is not null limit ${max + rooms.size})
      ), turn as (
        select visited.workspace_id, coalesce(room.runs, ${perWorkspace}::int) as room,
          row_number() over (order by visited.lap, visited.workspace_id) as place
        from visited
        left join unnest(${uuids([...rooms.keys()])}, ${integers([...rooms.values()])}) as room (workspace_id, runs)
          using (workspace_id)
        where coalesce(room.runs, ${perWorkspace}::int) > 0
        order by place limit ${max}
      ), share as (
        select picked.workspace_id, count(*)::int as runs
        from (
          select turn.workspace_id from turn
          cross join lateral (
            select row_number() over () as round from (
              select 1 from run
              where run.ready and run.workspace_id = turn.workspace_id
                and (run.expires_at is null or run.expires_at > now())
              order by ${line} limit turn.room
            ) as due
          ) as due
          order by due.round, turn.place limit ${max}
        ) as picked
        group by picked.workspace_id
      ), claimed as (
        update run set
          status = 'running', attempt = run.attempt + 1, ready = false, due_at = null,
          started_at = coalesce(run.started_at, date_trunc('milliseconds', clock_timestamp())),
          claim_token = gen_random_uuid(),
          last_seq = run.last_seq + ${loggedAt === null ? 0 : 1}::int,
          lease_until = clock_timestamp() + ${leaseSeconds}::float8 * interval '1 second'
        from (
          select due.id from share
          cross join lateral (
            select run.id from run
            where run.ready and run.workspace_id = share.workspace_id
              and (run.expires_at is null or run.expires_at > now())
            order by ${line} limit share.runs
            for no key update skip locked
          ) as due
        ) as due
        where run.id = due.id
        returning run.*
      ), logged as (
        insert into run_event (workspace_id, run_id, session_id, seq, type, created_at, attempt, data)
        select workspace_id, id, session_id, last_seq, 'run.started', logged_at, attempt, '{}'
        from claimed cross join (select ${nullableTimestamp(loggedAt)}::timestamptz as logged_at) as request
        where logged_at is not null
      )
      select ${columns}, run.claim_token, ${agentColumns},
        (select workspace_id from turn order by place desc limit 1) as last_workspace_id
      from claimed as run
      join agent on agent.workspace_id = run.workspace_id and agent.id = run.agent_id
      order by run.id
    `.pipe(
      Effect.orDie,
      Effect.map(
        (rows): Claims => ({
          claimed: rows.map((row) => ({ run: toRun(row), agent: toAgent(row), claimToken: row.claim_token })),
          last: rows[0]?.last_workspace_id
        })
      )
    )
}
