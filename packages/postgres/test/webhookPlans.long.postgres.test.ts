/** Statements of one endpoint's deliveries and replays use indexes, on tables with many rows of other endpoints. */
import { EventId, OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import {
  PgDeliveryRecords,
  PgDeliveryReplays,
  PgEndpointStore,
  PgEventFeed,
  PgReplayStore
} from "@agent-platform/postgres"
import {
  DELIVERIES_LOOKED_AT_MAX,
  type DeliveryFilter,
  DeliveryRecords,
  DeliveryReplays,
  EndpointId,
  EndpointStore,
  EventFeed,
  FeedPosition,
  ReplayStore
} from "@agent-platform/webhooks"
import { assert, layer as suite } from "@effect/vitest"
import { DateTime, Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { analyze, databaseLayer } from "./support/database.ts"
import { explained } from "./support/explained.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")

/** Waits until a feed shows all that is committed: other transactions on this Postgres hold it back. */
const allSeen = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [now] = yield* sql<{ readonly id: string }>`select pg_current_xact_id()::text as id`
  const isSeen = sql`select from (select pg_snapshot_xmin(pg_current_snapshot()) as watermark) as seen
    where watermark > ${now?.id ?? ""}::xid8`
  yield* Effect.repeat(isSeen, { until: (rows) => rows.length === 1, schedule: Schedule.spaced("20 millis") })
})

/** 40,000 events and deliveries of twenty endpoints, half of them pending; answers one endpoint's ids. */
const filled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into organization (id, name, created_at) select gen_random_uuid(), 'Acme', now() from generate_series(1, 20)
  `
  yield* sql`
    insert into webhook_endpoint (organization_id, id, url, event_types, status, sealed_secret, created_at)
    select id, gen_random_uuid(), '', '{}', 'active', '', now() from organization
  `
  yield* sql`
    insert into event (id, organization_id, type, created_at, data)
    select gen_random_uuid(), organization_id, 'run.failed', now(), '{}'
    from webhook_endpoint, generate_series(1, 2000)
  `
  yield* sql`
    insert into webhook_delivery (
      endpoint_id, event_id, organization_id, event_type, state, attempt_count, failures, next_attempt_at, due_at,
      created_at
    )
    select endpoint.id, event.id, event.organization_id, 'run.failed',
      case when due is null then 'delivered' else 'pending' end, 0, 0, due, due, now()
    from event join webhook_endpoint endpoint using (organization_id),
      lateral (select case when event.id < '80000000-0000-0000-0000-000000000000'
        then timestamptz '2026-11-21T12:00:00Z' + (random() - 0.2) * interval '10 hours' end as due) as time
  `
  yield* sql`
    insert into webhook_replay (
      organization_id, id, endpoint_id, since, until, selection, state, replayed_count, created_at, finished_at
    )
    select organization_id, gen_random_uuid(), id, now(), now(), 'all', 'completed', 0, now(), now()
    from webhook_endpoint, generate_series(1, 500)
  `
  yield* analyze
  const [one] = yield* sql<{ readonly id: string; readonly organization_id: string }>`
    select id, organization_id from webhook_endpoint limit 1
  `
  return { endpointId: EndpointId.make(one?.id ?? ""), organizationId: OrganizationId.make(one?.organization_id ?? "") }
})

suite(databaseLayer, { excludeTestServices: true })("with many rows", (it) => {
  it.effect("what concerns one endpoint looks at that endpoint's rows", () =>
    Effect.gen(function* () {
      const { endpointId, organizationId } = yield* filled
      const sql = yield* SqlClient.SqlClient
      const inTransaction = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.orDie(sql.withTransaction(effect))
      const count = yield* explained(
        PgDeliveryReplays.layer,
        DeliveryReplays.use((store) => store.countDue(endpointId, { max: 100, now: NOW }))
      )
      assert.strictEqual(count.answer, 100)
      assert.match(count.plan, /endpoint_id_due_at_idx|webhook_delivery_waiting/)
      assert.notMatch(count.plan, /Seq Scan on webhook_delivery_default/)

      const replays = yield* explained(
        PgReplayStore.layer,
        ReplayStore.use((store) => store.list({ endpointId }, { limit: 50, before: undefined }))
      )
      assert.strictEqual(replays.answer.items.length, 50)
      assert.include(replays.plan, "webhook_replay_list")
      assert.notInclude(replays.plan, "Sort")

      const portion = yield* explained(
        PgDeliveryReplays.layer,
        DeliveryReplays.use((store) =>
          inTransaction(
            store.replayPortion({
              endpointId,
              after: "80000000-0000-0000-0000-000000000000",
              before: "ffffffff-ffff-ffff-ffff-ffffffffffff",
              deadOnly: false,
              limit: 100,
              now: NOW
            }) as Effect.Effect<ReadonlyArray<EventId>>
          )
        )
      )
      assert.strictEqual(portion.answer.length, 100)
      assert.include(portion.plan, "webhook_delivery_default_pkey")
      assert.notMatch(portion.plan, /Seq Scan on webhook_delivery_default/)

      yield* allSeen
      const feed = yield* explained(
        PgEventFeed.layer,
        EventFeed.use((store) =>
          Effect.flatMap(store.end, (upTo) =>
            store.read({
              organizations: [organizationId],
              after: FeedPosition.make(`0/${anId(EventId)}`),
              upTo,
              limit: 50
            })
          )
        )
      )
      assert.strictEqual(feed.answer.events.length, 50)
      assert.include(feed.plan, "transaction_id_id_idx")
      assert.notMatch(feed.plan, /Seq Scan on event_default/)
    })
  )

  it.effect("a page of deliveries that a filter passes few of looks at ten thousand, and goes on from there", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const endpointId = anId(EndpointId)
      yield* sql`
        insert into webhook_delivery (
          endpoint_id, event_id, organization_id, event_type, state, attempt_count, failures, created_at
        )
        select ${endpointId}, gen_random_uuid(), gen_random_uuid(), 'run.failed', 'delivered', 1, 0, now()
        from generate_series(1, ${DELIVERIES_LOOKED_AT_MAX + 500}::int)
      `
      yield* sql`
        update webhook_delivery set event_type = 'run.paused', state = 'dead' where endpoint_id = ${endpointId} and event_id = (
          select event_id from webhook_delivery where endpoint_id = ${endpointId} order by event_id limit 1
        )
      `
      yield* analyze
      const list = (filter: DeliveryFilter, before?: string) =>
        explained(
          PgDeliveryRecords.layer,
          DeliveryRecords.use((store) => store.list(endpointId, filter, { limit: 50, before }))
        )
      const first = yield* list({ eventType: "run.paused" })
      assert.isEmpty(first.answer.items)
      assert.isDefined(first.answer.next)
      assert.include(first.plan, "webhook_delivery_default_pkey")
      const rest = yield* list({ eventType: "run.paused" }, first.answer.next)
      assert.lengthOf(rest.answer.items, 1)
      assert.isUndefined(rest.answer.next)

      const dead = yield* list({ state: "dead" })
      assert.deepStrictEqual(dead.answer, rest.answer)
      assert.match(dead.plan, /webhook_delivery_dead|default_endpoint_id_event_id_idx/)
      assert.notMatch(dead.plan, /Seq Scan on webhook_delivery_default/)
    })
  )

  it.effect("what names an event is looked for among the endpoints of those organizations that may have it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        with founded as (
          insert into organization (id, name, created_at)
          select gen_random_uuid(), 'Acme', now() from generate_series(1, 3000) returning id
        )
        insert into webhook_endpoint (organization_id, id, url, event_types, status, sealed_secret, created_at)
        select founded.id, gen_random_uuid(), '', '{run.started}', case when n < 5 then 'active' else 'deleted' end, '', now()
        from founded, generate_series(1, 10) as n
      `
      yield* analyze
      const owners = yield* sql<{ readonly id: string }>`
        select distinct organization_id as id from webhook_endpoint where event_types = '{run.started}' limit 20
      `
      const workspaces = owners.map(({ id }) => ({
        organizationId: OrganizationId.make(id),
        workspaceId: anId(WorkspaceId)
      }))
      const { answer, plan } = yield* explained(
        PgEndpointStore.layer,
        EndpointStore.use((store) => store.naming("run.started", workspaces))
      )
      assert.strictEqual(answer.size, 20)
      assert.match(plan, /webhook_endpoint_kept|webhook_endpoint_pkey/)
      assert.notInclude(plan, "Seq Scan on webhook_endpoint")
    })
  )
})
