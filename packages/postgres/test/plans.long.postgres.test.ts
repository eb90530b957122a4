/** Frequent statements, and those on large tables, use their indexes where there are many rows of every kind. */
import { OrganizationId, Transaction, WorkspaceId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { ApiKeyId, ApiKeyStore, LoginStore, RateLimits } from "@agent-platform/keys"
import { PgApiKeyStore, PgDeliveryQueue, PgLoginStore, PgRateLimits } from "@agent-platform/postgres"
import { DeliveryQueue, EndpointId } from "@agent-platform/webhooks"
import { assert, layer as suite } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { analyze, databaseLayer } from "./support/database.ts"
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
      yield* analyze
      const [key] = yield* sql<{ readonly hash: string; readonly workspace_id: string }>`
        select hash, workspace_id from api_key limit 1
      `
      assert.isDefined(key)
      const { answer, plan, statements } = yield* explained(
        PgApiKeyStore.layer,
        ApiKeyStore.use((store) => store.findByHash(key!.hash, WorkspaceId.make(key!.workspace_id)))
      )
      assert.isTrue(answer?.workspaceFound)
      assert.strictEqual(statements, 1)
      assert.include(plan, "Index Scan using api_key_hash")
      assert.match(plan, /Index (Only )?Scan using workspace_(pkey|id_key)/)
      assert.notInclude(plan, "Seq Scan")
    })
  )

  it.effect("what came of a key is found by its maker, one look for each", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        update api_key set created_by_id = gen_random_uuid()::text
        where workspace_id <> (select workspace_id from api_key order by id limit 1)
      `
      yield* analyze
      const [key] = yield* sql<{ readonly organization_id: string; readonly id: string }>`
        select organization_id, id from api_key order by id limit 1
      `
      const organizationId = OrganizationId.make(key!.organization_id)
      const { plan, statements } = yield* explained(
        PgApiKeyStore.layer,
        ApiKeyStore.use((store) =>
          Effect.provideService(
            store.revokeDescendants(organizationId, ApiKeyId.make(key!.id), DateTime.nowUnsafe(), 500),
            Transaction,
            { id: "explained" }
          )
        )
      )
      assert.strictEqual(statements, 1)
      assert.include(plan, "api_key_creator")
      assert.notInclude(plan, "Seq Scan")
    })
  )

  it.effect("a session is recognised by one statement that looks into indexes alone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into app_user (id, issuer, subject, email, name, created_at)
        select gen_random_uuid(), 'issuer', n, n || '@example.com', '', now() from generate_series(1, 2000) as n
      `
      yield* sql`
        insert into member (
          organization_id, id, email, user_id, invited_by_type, invited_by_id, invited_by_label, invited_at, joined_at
        )
        select (select id from organization order by hashtext(app_user.email || id::text) limit 1), gen_random_uuid(), email,
          id, 'user', '', '', now(), now()
        from app_user
      `
      yield* sql`
        insert into member_workspace (organization_id, member_id, workspace_id, role)
        select organization_id, member.id, workspace.id, 'viewer' from member join workspace using (organization_id)
      `
      yield* sql`
        insert into login_session (
          organization_id, member_id, id, hash, provider, created_at, last_seen_at, expires_at
        )
        select organization_id, id, gen_random_uuid(), id || '/' || n, 'google', now(), now(), now() + interval '30 days'
        from member, generate_series(1, 5) as n
      `
      yield* analyze
      const [session] = yield* sql<{ readonly hash: string; readonly workspace_id: string }>`
        select hash, workspace_id from login_session join member_workspace using (organization_id, member_id) limit 1
      `
      assert.isDefined(session)
      const { answer, plan } = yield* explained(
        PgLoginStore.layer,
        LoginStore.use((store) => store.findByHash(session!.hash, WorkspaceId.make(session!.workspace_id)))
      )
      assert.strictEqual(answer?.workspaceRole, "viewer")
      assert.include(plan, "Index Scan using login_session_hash")
      // Organizations are few here.
      assert.notMatch(plan, /Seq Scan on (?!organization)/)
    })
  )

  it.effect("a request of a limited key is counted by one statement that looks into one index", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into api_key_rate (organization_id, key_id, request_limit, window_seconds, full_at_nanos)
        select organization_id, id, 1, 1, 0 from api_key
      `
      yield* analyze
      const [key] = yield* sql<{ readonly organization_id: string; readonly id: string }>`
        select organization_id, id from api_key limit 1
      `
      assert.isDefined(key)
      const limited = {
        organizationId: OrganizationId.make(key!.organization_id),
        id: ApiKeyId.make(key!.id),
        rateLimit: { limit: 10, windowSeconds: 60 }
      }
      const { answer, plan, statements } = yield* explained(
        PgRateLimits.layer,
        RateLimits.use((limits) => limits.take(limited, 1))
      )
      assert.isTrue(answer.taken)
      assert.strictEqual(statements, 1)
      assert.include(plan, "Conflict Arbiter Indexes: api_key_rate_pkey")
      assert.include(plan, "Index Scan using api_key_rate_pkey")
      assert.notInclude(plan, "Seq Scan")
    })
  )

  it.effect("uses of keys are noted by the index of the keys", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const keys = yield* sql<{ readonly organization_id: string; readonly id: string }>`
        select organization_id, id from api_key limit 3
      `
      const uses = keys.map((key) => ({
        organizationId: OrganizationId.make(key.organization_id),
        id: ApiKeyId.make(key.id),
        at: DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")
      }))
      const { plan, statements } = yield* explained(
        PgApiKeyStore.layer,
        ApiKeyStore.use((store) => Effect.provideService(store.noteUses(uses), Transaction, { id: "plan" }))
      )
      assert.strictEqual(statements, 1)
      assert.include(plan, "Index Scan using api_key_pkey")
      assert.notInclude(plan, "Seq Scan")
    })
  )

  it.effect("deliveries are claimed by the index of what is due, however many are settled or due later", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const organization = anId(OrganizationId)
      yield* sql`insert into organization (id, name, created_at) values (${organization}, 'Acme', now())`
      yield* sql`
        insert into webhook_endpoint (organization_id, id, url, event_types, status, sealed_secret, created_at)
        select ${organization}::uuid, gen_random_uuid(), '', '{}', 'active', '', now() from generate_series(1, 20)
      `
      yield* sql`
        insert into event (id, organization_id, type, created_at, data)
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
            then now() + ((place / 10) % 10 - 0.5) * interval '1 hour' end as due
        ) as time
      `
      yield* analyze
      const [full] = yield* sql<{ readonly id: string }>`select id from webhook_endpoint limit 1`
      const { answer, plan } = yield* explained(
        PgDeliveryQueue.layer,
        DeliveryQueue.use((store) =>
          store.claimDue({
            max: 64,
            perEndpoint: 16,
            perOrganization: 64,
            endpointLimits: new Map([[EndpointId.make(full?.id ?? ""), 0]]),
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
