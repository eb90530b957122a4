/** Measures how long due work has waited; operators scale workers by it. */
import { type EventId, timeOfId } from "@agent-platform/kernel"
import { gauge } from "@agent-platform/toolkit"
import { DateTime, Effect, Metric } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

const oldestDueRun = gauge(
  "agent_platform_oldest_due_run_seconds",
  "For how long the run that has been due longest has waited for a worker; 0 when none is due."
)

const oldestEvent = gauge(
  "agent_platform_oldest_undispatched_event_seconds",
  "For how long the first event that nobody has taken has waited to be handed out; 0 without one."
)

const oldestDueDelivery = gauge(
  "agent_platform_oldest_due_delivery_seconds",
  "For how long the delivery that has been due longest has waited for its next attempt; 0 when none is due."
)

const connections = gauge(
  "agent_platform_database_connections",
  "Connections to this database by program (api, worker, admin, queue) and state (active, idle, in_transaction).",
  ["application", "state"]
)

/** All of them, for the documentation. */
export const AGE_MEASURES = [oldestDueRun, oldestEvent, oldestDueDelivery, connections]

/** How many seconds ago an event was made. */
export const ageOf = (id: EventId): Effect.Effect<number> =>
  Effect.map(
    DateTime.now,
    (now) => Math.max(0, DateTime.toEpochMillis(now) - DateTime.toEpochMillis(timeOfId(id))) / 1_000
  )

const STATES = ["active", "idle", "in_transaction"] as const
const APPLICATIONS = ["api", "worker", "admin", "queue"] as const

/**
 * Brings the ages up to date. Each is one look-up in an index; that of runs is one for each workspace that has due runs: `waiting` steps
 * through the index from one such workspace to the next.
 */
export const readQueueAges: Effect.Effect<void, SqlError, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [ages] = yield* sql<{ readonly run: number; readonly event: EventId | null; readonly delivery: number }>`
    with recursive waiting as (
      (select organization_id, workspace_id from agent_platform.run where ready order by organization_id, workspace_id limit 1)
      union all
      select following.* from waiting cross join lateral (
        select run.organization_id, run.workspace_id from agent_platform.run
        where run.ready
          and (run.organization_id, run.workspace_id) > (waiting.organization_id, waiting.workspace_id)
        order by run.organization_id, run.workspace_id limit 1
      ) as following
    )
    select
      greatest(0, coalesce(extract(epoch from now() - (
        select min(first.due_at) from waiting
        cross join lateral (
          select due_at from agent_platform.run
          where run.ready and run.organization_id = waiting.organization_id
            and run.workspace_id = waiting.workspace_id
          order by priority desc, due_at, id limit 1
        ) as first
      )), 0))::float8 as run,
      (select event_id from agent_platform.event_outbox where taken_until is null or taken_until <= now() order by event_id limit 1) as event,
      greatest(0, coalesce(extract(epoch from now() - (
        select due_at from agent_platform.webhook_delivery where state = 'pending' order by due_at limit 1
      )), 0))::float8 as delivery
  `
  yield* Metric.update(oldestDueRun.of({}), ages?.run ?? 0)
  yield* Metric.update(oldestEvent.of({}), ages?.event == null ? 0 : yield* ageOf(ages.event))
  yield* Metric.update(oldestDueDelivery.of({}), ages?.delivery ?? 0)
})

/** Brings the count of connections up to date. */
export const readConnections: Effect.Effect<void, SqlError, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly application: string; readonly state: string; readonly count: number }>`
    select replace(application_name, 'agent-platform-', '') as application,
      case when state like 'idle in transaction%' then 'in_transaction' when state = 'idle' then 'idle' else 'active' end
        as state,
      count(*)::int as count
    from pg_stat_activity
    where datname = current_database() and application_name like 'agent-platform-%'
    group by 1, 2
  `
  for (const application of APPLICATIONS) {
    for (const state of STATES) {
      const row = rows.find((one) => one.application === application && one.state === state)
      yield* Metric.update(connections.of({ application, state }), row?.count ?? 0)
    }
  }
})
