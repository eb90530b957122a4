/** Runs as operators see them, over the whole deployment. */
import type { RunId, RunStatus } from "@agent-platform/runs"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { timestamp } from "../columns.ts"
import { AHEAD_MAX, type OperatorFilter } from "./views.ts"

export interface OperatorRunFilter extends OperatorFilter {
  readonly status: RunStatus | null
  /** The last run of the page before; null for the first page. */
  readonly before: RunId | null
}

/** A run without its payloads, under the names that it is printed with. */
export interface OperatorRun {
  readonly id: RunId
  readonly organization_id: string
  readonly workspace_id: string
  readonly session_id: string
  readonly agent_id: string
  readonly recipe: string
  readonly status: RunStatus
  readonly paused: boolean
  readonly error_code: string | null
  readonly trigger: string
  readonly priority: number
  readonly attempt: number
  readonly max_attempts: number
  readonly cost_usd: string
  readonly created_at: Date
  readonly run_at: Date | null
  readonly expires_at: Date | null
  readonly started_at: Date | null
  readonly finished_at: Date | null
  readonly cancel_requested_at: Date | null
}

/** Circumstances that decide when a run goes on. Times are in seconds by the database's clock. */
export interface RunCircumstances {
  /** The seconds until it is due: negative once it is; null while others of its session go first, and once it has begun. */
  readonly due_in_seconds: number | null
  /** The seconds until its lease ends: negative once it has; null while it is queued and once it has ended. */
  readonly lease_seconds: number | null
  /** The seconds until its agent must have called back: negative afterwards; null unless it waits for a callback. */
  readonly callback_seconds: number | null
  /** Unfinished runs of its session that go before it, and the first of them. */
  readonly ahead_in_session: number
  readonly next_in_session: string | null
  /** Runs of its workspace that are ready and go before it, counted up to 10,000. */
  readonly ahead_in_workspace: number
  /** Runs that are executed now: of its workspace, of its organization, and of all. */
  readonly running_in_workspace: number
  readonly running_in_organization: number
  readonly running: number
  /** Workers that execute runs now, and sessions that workers have with the database. */
  readonly busy_workers: number
  readonly worker_sessions: number
  /** The workspace's month: its cap, and what is spent and reserved of it; null where no call was made in it. */
  readonly cap_usd: string | null
  readonly spent_usd: string | null
  readonly reserved_usd: string | null
}

const COLUMNS = `run.id, run.organization_id, run.workspace_id, run.session_id, run.agent_id, run.recipe, run.status, run.paused,
  run.error_code, run.trigger_type as trigger, run.priority, run.attempt, run.max_attempts, trim_scale(run.cost_usd)::text as cost_usd,
  run.created_at, run.run_at, run.expires_at, run.started_at, run.finished_at, run.cancel_requested_at`

/** The newest runs that match the filter: `limit` of them, and one more where there are more. It walks an index once for each workspace. */
export const listOperatorRuns = (filter: OperatorRunFilter) =>
  SqlClient.SqlClient.use((sql) => {
    const { before, limit, organizationId, since, status, workspaceId } = filter
    const places = [
      ...(organizationId === null ? [] : [sql`organization_id = ${organizationId}`]),
      ...(workspaceId === null ? [] : [sql`id = ${workspaceId}`])
    ]
    const conditions = [
      sql`run.workspace_id = place.id`,
      sql`run.created_at >= ${timestamp(since)}`,
      // Written into the text, so that the plan knows which partial index serves it; it is one of five words.
      ...(status === null ? [] : [sql`run.status = ${sql.literal(`'${status}'`)}`]),
      ...(before === null
        ? []
        : [
            sql`(run.created_at, run.id) < (select last.created_at, last.id from agent_platform.run as last where last.id = ${before})`
          ])
    ]
    return sql<OperatorRun>`
      select ${sql.literal(COLUMNS)}
      from (select id from agent_platform.workspace ${places.length === 0 ? sql.literal("") : sql`where ${sql.and(places)}`}) as place
      cross join lateral (
        select * from agent_platform.run where ${sql.and(conditions)} order by run.created_at desc, run.id desc limit ${limit + 1}
      ) as run
      order by run.created_at desc, run.id desc limit ${limit + 1}
    `
  })

/** A run and its circumstances; undefined where there is none of this id. */
export const findOperatorRun = (id: RunId) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [run] = yield* sql<OperatorRun>`select ${sql.literal(COLUMNS)} from agent_platform.run where id = ${id}`
    if (run === undefined) return undefined
    // A claim token begins with the name of the claim (`runToken`), and that with its worker: so tokens tell workers apart.
    const [circumstances] = yield* sql<RunCircumstances>`
      with executed as materialized (
        select organization_id, workspace_id, left(replace(claim_token::text, '-', ''), 16) as worker
        from agent_platform.run where status = 'running' and callback_until is null
      )
      select extract(epoch from run.due_at - clock_timestamp())::float8 as due_in_seconds,
        extract(epoch from run.lease_until - clock_timestamp())::float8 as lease_seconds,
        extract(epoch from run.callback_until - clock_timestamp())::float8 as callback_seconds,
        coalesce(session.ahead, 0) as ahead_in_session, session.next as next_in_session,
        (
          select count(*)::int from (
            select from agent_platform.run as other
            where run.ready and other.ready and other.organization_id = run.organization_id and other.workspace_id = run.workspace_id
              and (-other.priority, other.due_at, other.id) < (-run.priority, run.due_at, run.id)
            limit ${AHEAD_MAX}
          ) as one
        ) as ahead_in_workspace,
        (select count(*)::int from executed where executed.workspace_id = run.workspace_id) as running_in_workspace,
        (select count(*)::int from executed where executed.organization_id = run.organization_id) as running_in_organization,
        (select count(*)::int from executed) as running,
        (select count(distinct worker)::int from executed) as busy_workers,
        (
          select count(*)::int from pg_stat_activity
          where datname = current_database() and application_name = 'agent-platform-worker'
        ) as worker_sessions,
        trim_scale(month.cap_usd)::text as cap_usd, trim_scale(month.spent_usd)::text as spent_usd,
        trim_scale(month.reserved_usd)::text as reserved_usd
      from agent_platform.run
      left join lateral (
        select count(*)::int as ahead, (array_agg(other.id order by other.position))[1] as next from agent_platform.run as other
        where other.session_id = run.session_id and other.position < run.position and other.status in ('queued', 'running')
          and run.status = 'queued'
      ) as session on true
      left join agent_platform.workspace_spend as month
        on month.workspace_id = run.workspace_id and month.period_start <= now() and month.period_end > now()
      where run.id = ${id}
    `
    return circumstances === undefined ? undefined : { run, circumstances }
  })
