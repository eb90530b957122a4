/** Counts of work and of its outcomes, by the platform's own codes: a support bundle is given to others, so it has no texts. */
import { RunErrorCode } from "@agent-platform/runs"
import { texts } from "../columns.ts"
import { COUNT_MAX } from "../queueDepths.ts"
import { facts } from "./facts.ts"

/** How many of the last runs are looked at. */
export const RECENT_MAX = 10_000

/** The steps that were run. */
export const migrationsRun = facts`
  select domain, number, name, run_at, rows::float8 as rows_filled from agent_platform.platform_migration order by domain, number
`

/** How many tenants there are and what they have, each counted up to 100,000. */
export const tenantCounts = facts`
  select
    (select count(*)::int from (select from agent_platform.organization limit ${COUNT_MAX}) as one) as organizations,
    (select count(*)::int from (select from agent_platform.workspace limit ${COUNT_MAX}) as one) as workspaces,
    (select count(*)::int from (select from agent_platform.member limit ${COUNT_MAX}) as one) as members,
    (select count(*)::int from (select from agent_platform.agent limit ${COUNT_MAX}) as one) as agents,
    (select count(*)::int from (select from agent_platform.api_key limit ${COUNT_MAX}) as one) as api_keys,
    (select count(*)::int from (select from agent_platform.provider_key limit ${COUNT_MAX}) as one) as provider_keys
`

/** How the last runs ended, of all tenants: by status and code, how many, when, and how long their execution took. */
export const recentEndings = facts`
  select status, case when error_code = any(${texts(RunErrorCode.literals)}) then error_code when error_code is not null then 'other' end
      as error_code,
    case when trigger_type in ('api', 'message', 'webhook', 'schedule') then trigger_type else 'other' end as trigger,
    count(*)::int, min(finished_at) as first_at, max(finished_at) as last_at, max(attempt) as attempts_max,
    percentile_cont(0.5) within group (order by extract(epoch from finished_at - started_at))::float8 as seconds_p50,
    percentile_cont(0.99) within group (order by extract(epoch from finished_at - started_at))::float8 as seconds_p99
  from (select * from agent_platform.run where ended_xid is not null order by ended_xid desc, id desc limit ${RECENT_MAX}) as ended
  group by 1, 2, 3 order by count desc
`

/** Runs that have not ended: by state, how many and for how long. */
export const unendedRuns = facts`
  select case
      when status = 'running' and lease_until < clock_timestamp() then 'lease_lapsed'
      when status = 'running' and cancel_requested_at is not null then 'cancelling'
      when status = 'running' then 'running' when ready then 'ready' when due_at is not null then 'scheduled'
      else 'behind_others_of_session'
    end as state,
    count(*)::int, count(distinct workspace_id)::int as workspaces,
    extract(epoch from clock_timestamp() - min(created_at))::float8 as oldest_seconds
  from (select * from agent_platform.run where status in ('queued', 'running') limit ${COUNT_MAX}) as unended
  group by 1 order by 1
`

/** Deliveries that wait for another attempt: by failures so far and the answer to the first attempt. */
export const pendingDeliveries = facts`
  select failures, case
      when first_attempted_at is null then 'untried' when first_response_code is null then 'no answer'
      else (first_response_code / 100)::text || 'xx'
    end as first_answer,
    count(*)::int, count(distinct endpoint_id)::int as endpoints, count(*) filter (where claim_token is not null)::int as claimed,
    extract(epoch from clock_timestamp() - min(due_at))::float8 as longest_due_seconds
  from (select * from agent_platform.webhook_delivery where state = 'pending' limit ${COUNT_MAX}) as pending
  group by 1, 2 order by 1, 2
`

/** Endpoints by status, and why they are disabled. */
export const endpointCounts = facts`
  select status, case
      when status <> 'disabled' then null
      when disabled_reason in ('failing', 'disabled_by_request') then disabled_reason else 'other'
    end as reason,
    count(*)::int, count(*) filter (where failing_since is not null)::int as failing
  from (select * from agent_platform.webhook_endpoint limit ${COUNT_MAX}) as endpoint group by 1, 2 order by 1, 2
`

/** Replays of ranges by state. */
export const replayCounts = facts`
  select state, state_reason as reason, count(*)::int, sum(replayed_count)::float8 as replayed,
    extract(epoch from clock_timestamp() - min(created_at))::float8 as oldest_seconds
  from (select * from agent_platform.webhook_replay limit ${COUNT_MAX}) as replay group by 1, 2 order by 1, 2
`

/** The outbox: events by whether a worker has them, and how often they were taken. */
export const outboxCounts = facts`
  select coalesce(taken_until > clock_timestamp(), false) as is_taken, attempt as times_taken, count(*)::int
  from (select * from agent_platform.event_outbox limit ${COUNT_MAX}) as outbox group by 1, 2 order by 1, 2
`
