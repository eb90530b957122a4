/** The two statements that are made most often use their indexes, on tables with many rows of every kind. */
import { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { ApiKeyStore } from "@agent-platform/keys"
import { PgApiKeyStore, PgDeliveryStore } from "@agent-platform/postgres"
import { DeliveryStore, EndpointId } from "@agent-platform/webhooks"
import { assert, layer as suite } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { databaseLayer } from "./support/database.ts"
import { explained } from "./support/explained.ts"

suite(databaseLayer, { excludeTestServices: true })("with many rows", (it) => {
  it.effect("a key is recognised by one look into each of two indexes", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into organization (id, name, created_at)
        select gen_random_uuid(), 'one', now() from generate_series(1, 100)
      `
      yield* sql`
        insert into workspace (organization_id, id, name, timezone, created_at)
        select id, gen_random_uuid(), 'main', 'UTC', now() from organization, generate_series(1, 20)
      `
      yield* sql`
        insert into api_key (
          organization_id, workspace_id, id, kind, name, hash, hint, scopes, metadata, disabled, version, created_at,
          created_by_type, created_by_id, created_by_label
        )
        select organization_id, id, gen_random_uuid(), 'workspace', '', id || '/' || n, '', '{}', '{}', false, 1, now(),
          'user', '', ''
        from workspace, generate_series(1, 5) as n
      `
      yield* sql`analyze`
      const [key] = yield* sql<{ readonly hash: string; readonly workspace_id: string }>`
        select hash, workspace_id from api_key limit 1
      `
      assert.isDefined(key)
      const { answer, plan } = yield* explained(
        PgApiKeyStore.layer,
        ApiKeyStore.use((store) => store.findByHash(key!.hash, WorkspaceId.make(key!.workspace_id)))
      )
      assert.isTrue(answer?.workspaceFound)
      assert.include(plan, "Index Scan using api_key_hash")
      assert.match(plan, /Index (Only )?Scan using workspace_(pkey|id_key)/)
      assert.notInclude(plan, "Seq Scan")
    })
  )

  it.effect("deliveries are claimed by the index of what is due, however many are settled or due later", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const organization = anId(OrganizationId)
      yield* sql`
        insert into webhook_endpoint (organization_id, id, url, event_types, status, sealed_secret, created_at)
        select ${organization}::uuid, gen_random_uuid(), '', '{}', 'active', '', now() from generate_series(1, 20)
      `
      yield* sql`
        insert into event (id, organization_id, type, created_at, body)
        select gen_random_uuid(), ${organization}::uuid, 'run.failed', now(), '{}' from generate_series(1, 2000)
      `
      // Of 40,000 deliveries 36,000 are settled, 400 are due and 3,600 will be.
      yield* sql`
        insert into webhook_delivery (
          endpoint_id, event_id, organization_id, event_type, state, attempt_count, failures, next_attempt_at, due_at,
          created_at
        )
        select endpoint_id, event_id, ${organization}::uuid, 'run.failed',
          case when due is null then 'delivered' else 'pending' end, 0, 0, due, due, now()
        from (
          select endpoint.id as endpoint_id, event.id as event_id,
            row_number() over (order by endpoint.id, event.id) as place
          from webhook_endpoint endpoint, event
        ) as pair, lateral (
          select case when place % 10 = 0
            then timestamptz '2026-11-21T12:00:00Z' + ((place / 10) % 10 - 0.5) * interval '1 hour' end as due
        ) as time
      `
      yield* sql`analyze`
      const [full] = yield* sql<{ readonly id: string }>`select id from webhook_endpoint limit 1`
      const { answer, plan } = yield* explained(
        PgDeliveryStore.layer,
        DeliveryStore.use((store) =>
          store.claimDue({
            max: 64,
            perEndpoint: 16,
            perOrganization: 64,
            rooms: new Map([[EndpointId.make(full?.id ?? ""), 0]]),
            leaseSeconds: 10
          })
        )
      )
      assert.strictEqual(answer.length, 64)
      assert.include(plan, "due_at_idx")
      assert.include(plan, "webhook_delivery_default_pkey")
      // The partitions of the months are empty here.
      assert.notMatch(plan, /Seq Scan on webhook_delivery_default/)
    })
  )
})
