/** Counts for operators: work that waits, and endpoints that are disabled. */
import { gauge, measure } from "@agent-platform/toolkit"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { askAlone } from "./pipelined.ts"

/** Most rows that are counted of anything: counts that are made every few seconds must cost little. */
export const COUNT_MAX = 100_000

const unendedRuns = gauge(
  "agent_platform_unended_runs",
  `Runs that have not ended (ready, waiting, running), counted up to ${COUNT_MAX} of a state.`,
  ["state"]
)

const pendingDeliveries = gauge(
  "agent_platform_pending_deliveries",
  `Deliveries with a row that have not ended (due, scheduled), counted up to ${COUNT_MAX} of a state.`,
  ["state"]
)

const outboxEvents = gauge(
  "agent_platform_outbox_events",
  `Events in the outbox (untaken, taken), counted up to ${COUNT_MAX} together.`,
  ["state"]
)

const disabledEndpoints = gauge(
  "agent_platform_disabled_endpoints",
  `Webhook endpoints that are disabled, by why (failing, disabled_by_request, other), among the first ${COUNT_MAX}.`,
  ["reason"]
)

/** All of them, for the documentation. */
export const DEPTH_MEASURES = [unendedRuns, pendingDeliveries, outboxEvents, disabledEndpoints]

type Depths = Readonly<
  Record<
    "ready" | "queued" | "running" | "due" | "pending" | "untaken" | "events" | "failing" | "by_request" | "disabled",
    number
  >
>

/** Brings these counts up to date, by a connection of its own. */
export const readQueueDepths: Effect.Effect<void, SqlError, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [depths] = yield* askAlone(
    sql,
    sql<Depths>`
      select
        (select count(*)::int from (select from agent_platform.run where ready limit ${COUNT_MAX}) as one) as ready,
        (
          select count(*)::int from (select from agent_platform.run where status = 'queued' limit ${COUNT_MAX}) as one
        ) as queued,
        (
          select count(*)::int from (select from agent_platform.run where status = 'running' limit ${COUNT_MAX}) as one
        ) as running,
        (
          select count(*)::int from (
            select from agent_platform.webhook_delivery where state = 'pending' and due_at <= now() limit ${COUNT_MAX}
          ) as one
        ) as due,
        (
          select count(*)::int from (
            select from agent_platform.webhook_delivery where state = 'pending' limit ${COUNT_MAX}
          ) as one
        ) as pending,
        outbox.untaken, outbox.events, endpoint.failing, endpoint.by_request, endpoint.disabled
      from (
        select count(*)::int as events, count(*) filter (where taken_until is null or taken_until <= now())::int as untaken
        from (select taken_until from agent_platform.event_outbox limit ${COUNT_MAX}) as one
      ) as outbox
      cross join (
        select count(*) filter (where status = 'disabled')::int as disabled,
          count(*) filter (where status = 'disabled' and disabled_reason = 'failing')::int as failing,
          count(*) filter (where status = 'disabled' and disabled_reason = 'disabled_by_request')::int as by_request
        from (
          select status, disabled_reason from agent_platform.webhook_endpoint where status <> 'deleted' limit ${COUNT_MAX}
        ) as one
      ) as endpoint
    `
  )
  if (depths === undefined) return
  const { by_request, disabled, due, events, failing, pending, queued, ready, running, untaken } = depths
  yield* measure(unendedRuns, { state: "ready" }, ready)
  yield* measure(unendedRuns, { state: "waiting" }, Math.max(0, queued - ready))
  yield* measure(unendedRuns, { state: "running" }, running)
  yield* measure(pendingDeliveries, { state: "due" }, due)
  yield* measure(pendingDeliveries, { state: "scheduled" }, Math.max(0, pending - due))
  yield* measure(outboxEvents, { state: "untaken" }, untaken)
  yield* measure(outboxEvents, { state: "taken" }, Math.max(0, events - untaken))
  yield* measure(disabledEndpoints, { reason: "failing" }, failing)
  yield* measure(disabledEndpoints, { reason: "disabled_by_request" }, by_request)
  yield* measure(disabledEndpoints, { reason: "other" }, disabled - failing - by_request)
})
