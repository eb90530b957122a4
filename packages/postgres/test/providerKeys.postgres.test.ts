/** Concurrent transitions of provider keys: one of many wins, and announces it in its transaction. */

import { SecretBox, UnitOfWork } from "@agent-platform/kernel"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { aTenant } from "@agent-platform/kernel/testing"
import { PlatformKeys, ProviderKeyStore, ProviderKeys, providerKeyPlace } from "@agent-platform/keys"
import { layerProviderProbe, MemoryProviderProbe } from "@agent-platform/keys/memory"
import { aProviderKey } from "@agent-platform/keys/testing"
import { layer as postgres } from "@agent-platform/postgres"
import { assert, layer as suite } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { analyze, databaseLayer } from "./support/database.ts"
import { feedReading } from "./support/feedReading.ts"
import { layerTenants } from "./support/tenants.ts"

const layer = ProviderKeys.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(layerProviderProbe, PlatformKeys.layer({}), layerTenants)),
  Layer.provideMerge(postgres),
  Layer.provideMerge(databaseLayer),
  Layer.provideMerge(kernel)
)

const RUN = {
  runId: "01a1fd56-58fb-746b-bcf2-262fc1c65f60",
  sessionId: "01a1fd56-58fb-746b-bcf2-262fc1c65f61",
  agent: { id: "01a1fd56-58fb-746b-bcf2-262fc1c65f62", name: "Greeter" }
}

suite(layer, { excludeTestServices: true })("provider keys over Postgres", (it) => {
  const storedKey = Effect.gen(function* () {
    const store = yield* ProviderKeyStore
    const box = yield* SecretBox
    const unit = yield* UnitOfWork
    const key = aProviderKey(yield* aTenant())
    yield* unit.atomic(store.insert(key, yield* box.seal(providerKeyPlace(key), Redacted.make("sk-test"))))
    return key
  })

  it.effect("one of twenty runs at once finds the dead key, and is the only one that is reported", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const keys = yield* ProviderKeys
      const probe = yield* MemoryProviderProbe
      const key = yield* storedKey
      probe.answerWith(() => Effect.succeed({ type: "rejected", providerStatus: 401, providerCode: "invalid_api_key" }))
      const report = keys.reportKeyRejected({ ...RUN, key, providerStatus: 401, providerCode: "invalid_api_key" })
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => report),
        { concurrency: "unbounded" }
      )
      assert.isTrue(answers.every((one) => one))
      const events = yield* sql<{ readonly type: string }>`
        select type from event where organization_id = ${key.organizationId}
      `
      assert.deepStrictEqual(
        events.map(({ type }) => type),
        ["credential.revoked"]
      )
      assert.strictEqual((yield* feedReading.notifications(key.organizationId)).length, 1)
      assert.strictEqual((yield* feedReading.activity(key.organizationId)).length, 1)
    })
  )

  it.effect("no statement revokes a key and leaves its value, or erases the value of one that is not revoked", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const key = yield* storedKey
      const kept = yield* Effect.exit(
        sql`update provider_key set status = 'revoked', revoked_at = now() where id = ${key.id}`
      )
      assert.strictEqual(kept._tag, "Failure")
      const lost = yield* Effect.exit(sql`update provider_key set sealed = null where id = ${key.id}`)
      assert.strictEqual(lost._tag, "Failure")
    })
  )

  it.effect("a choice is one look into its index, however many keys there are", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { organizationId, workspaceId } = yield* storedKey
      yield* sql`
        insert into provider_key (
          organization_id, workspace_id, id, provider, name, hint, fingerprint, sealed, status, priority, fallback,
          version, created_at, created_by_type, created_by_id, created_by_label
        )
        select ${organizationId}::uuid, ${workspaceId}::uuid, gen_random_uuid(),
          case when n % 50 = 0 then 'openai' else 'google' end, '', '', '', 'v1', 'active', 100, 'none', 1, now(),
          'user', '', ''
        from generate_series(1, 5000) as n
      `
      yield* analyze
      const plan = yield* sql<{ readonly "QUERY PLAN": string }>`
        explain select id from provider_key
        where workspace_id = ${workspaceId} and provider = 'openai' and status <> 'revoked' order by priority, id
      `
      assert.include(plan.map((row) => row["QUERY PLAN"]).join("\n"), "provider_key_choice")
    })
  )
})
