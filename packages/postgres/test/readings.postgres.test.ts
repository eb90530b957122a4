/** Readings of the database and of its queues for operators. */
import { EventId, OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { anId, Tenants } from "@agent-platform/kernel/testing"
import { layerClient, readDatabaseUp, readQueueDepths } from "@agent-platform/postgres"
import { assert, describe, it, layer as suite } from "@effect/vitest"
import { Effect, Layer, Metric, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { databaseLayer } from "./support/database.ts"
import { layerTenants } from "./support/tenants.ts"

const inFresh = Effect.provideService(Metric.MetricRegistry, new Map())

/** The gauges that are there, as `name label=value`. */
const gauges = Effect.map(Metric.snapshot, (all) =>
  Object.fromEntries(
    all.flatMap((one) =>
      one.type === "Gauge"
        ? [[[one.id.replace("agent_platform_", ""), ...Object.values(one.attributes ?? {})].join(" "), one.state.value]]
        : []
    )
  )
)

suite(Layer.provideMerge(layerTenants, databaseLayer), { excludeTestServices: true })(
  "readings of a database",
  (it) => {
    it.effect("count what waits by its state, and the endpoints that are disabled by why", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [organizationId, workspaceId] = [anId(OrganizationId), anId(WorkspaceId)]
        yield* Tenants.use((tenants) => tenants.make({ organizationId, workspaceId }))
        const [agent] = yield* sql<{ readonly id: string }>`
        insert into agent_platform.agent (organization_id, workspace_id, id, name, recipe, recipes, version, created_at, updated_at)
        values (${organizationId}, ${workspaceId}, gen_random_uuid(), 'Demo', 'demo', '{}', 1, now(), now()) returning id
      `
        const runs = (count: number, status: string, ready: boolean) => sql`
        with made as (
          insert into agent_platform.session (organization_id, workspace_id, id, created_at)
          select ${organizationId}, ${workspaceId}, gen_random_uuid(), now() from generate_series(1, ${count}) returning id
        )
        insert into agent_platform.run (
          organization_id, workspace_id, id, session_id, position, agent_id, recipe, status, paused, interrupt_truncated,
          attempt, max_attempts, max_duration_seconds, priority, trigger_type, created_at, due_at, ready, finished_at,
          claim_token, lease_until, cost_usd, requests, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens,
          reasoning_tokens, metadata, tags
        )
        select ${organizationId}, ${workspaceId}, gen_random_uuid(), id, 1, ${agent?.id}, 'demo', ${status}, false, false, 0,
          1, 60, 0, 'api', now(), case when ${ready} then now() end, ${ready}, case when ${status} = 'failed' then now() end,
          case when ${status} = 'running' then gen_random_uuid() end, case when ${status} = 'running' then now() end,
          0, 0, 0, 0, 0, 0, 0, '{}', '{}'
        from made
      `
        yield* runs(3, "queued", true)
        yield* runs(2, "queued", false)
        yield* runs(4, "running", false)
        yield* runs(5, "failed", false)
        yield* sql`
        insert into agent_platform.event_outbox (event_id, taken_until)
        select gen_random_uuid(), case when n <= 2 then now() + interval '1 hour' when n = 3 then now() - interval '1 hour' end
        from generate_series(1, 6) as n
      `
        const endpoints = (count: number, status: string, reason: string | null) => sql`
        insert into agent_platform.webhook_endpoint (
          organization_id, id, url, event_types, status, disabled_reason, sealed_secret, created_at
        )
        select ${organizationId}, gen_random_uuid(), 'https://example.com', '{}', ${status}, ${reason}, '', now()
        from generate_series(1, ${count})
      `
        yield* endpoints(7, "active", null)
        yield* endpoints(2, "disabled", "failing")
        yield* endpoints(3, "disabled", "disabled_by_request")
        yield* endpoints(1, "disabled", "a reason of another time")
        yield* endpoints(9, "deleted", null)
        const eventId = anId(EventId)
        const deliveries = (count: number, state: string, minutes: number) => sql`
        insert into agent_platform.webhook_delivery (
          endpoint_id, event_id, organization_id, event_type, state, attempt_count, failures, next_attempt_at, due_at, created_at
        )
        select gen_random_uuid(), ${eventId}, ${organizationId}, 'run.succeeded', ${state}, 1, 1,
          case when ${state} = 'pending' then now() end,
          case when ${state} = 'pending' then now() + ${minutes} * interval '1 minute' end, now()
        from generate_series(1, ${count})
      `
        yield* deliveries(2, "pending", -5)
        yield* deliveries(6, "pending", 5)
        yield* deliveries(8, "dead", 0)
        yield* readQueueDepths
        assert.deepStrictEqual(yield* gauges, {
          "unended_runs ready": 3,
          "unended_runs waiting": 2,
          "unended_runs running": 4,
          "pending_deliveries due": 2,
          "pending_deliveries scheduled": 6,
          "outbox_events untaken": 4,
          "outbox_events taken": 2,
          "disabled_endpoints failing": 2,
          "disabled_endpoints disabled_by_request": 3,
          "disabled_endpoints other": 1
        })
      }).pipe(inFresh)
    )

    it.effect("say of one that answers that it is up", () =>
      Effect.gen(function* () {
        yield* readDatabaseUp
        assert.deepStrictEqual(yield* gauges, { database_up: 1 })
      }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
    )
  }
)

describe("the reading of a database that is away", () => {
  it.live("says that it is down, and does not fail", () =>
    Effect.gen(function* () {
      yield* Effect.provide(
        readDatabaseUp,
        layerClient({ url: Redacted.make("postgres://nobody@127.0.0.1:1/nothing") })
      )
      assert.deepStrictEqual(yield* gauges, { database_up: 0 })
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})
