/** Whatever the schema keeps sealed is sealed again: no column, and no value in one, keeps an old key needed. */
import {
  FingerprintKeyStore,
  SecretBox,
  sealedFingerprintKey,
  TemplateStore,
  templatePlace,
  UnitOfWork
} from "@agent-platform/kernel"
import { aTemplate, aTenant } from "@agent-platform/kernel/testing"
import {
  ProviderKeyStore,
  providerKeyPlace,
  sealedProviderKeys,
  sealedToolSecrets,
  ToolSecretStore,
  toolSecretPlace
} from "@agent-platform/keys"
import { aProviderKey, aToolSecret } from "@agent-platform/keys/testing"
import { resealSecrets, SEALED_STORES, sealedTemplates } from "@agent-platform/platform"
import { layer as layerPostgres } from "@agent-platform/postgres"
import {
  AgentStore,
  endpointSecretPlace,
  InboundWebhookStore,
  mcpHeadersPlace,
  RecordKeyStore,
  recordKeyPlace,
  sealedAgentSecrets,
  sealedRecordKeys,
  sealedWebhookSecrets,
  webhookSecretPlace
} from "@agent-platform/runs"
import { anAgent, BUILT_AT } from "@agent-platform/runs/testing"
import { type EncryptionKey, SecretBoxAes } from "@agent-platform/secrets"
import { EndpointStore, sealedEndpointSecrets, secretPlace } from "@agent-platform/webhooks"
import { anEndpoint } from "@agent-platform/webhooks/testing"
import { assert, layer as suite } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { databaseLayer } from "../../../packages/postgres/test/support/database.ts"
import { layerTenants } from "../../../packages/postgres/test/support/tenants.ts"

/** Every column that holds sealed values, and the store that seals it again. A column that is not named here fails. */
const COLUMNS: Readonly<Record<string, (typeof SEALED_STORES)[number]>> = {
  "agent.mcp_servers": sealedAgentSecrets,
  "agent.sealed_endpoint_secret": sealedAgentSecrets,
  "agent.sealed_retiring_endpoint_secret": sealedAgentSecrets,
  "agent_webhook.sealed_secret": sealedWebhookSecrets,
  "fingerprint_key.sealed_key": sealedFingerprintKey,
  "provider_key.sealed": sealedProviderKeys,
  "record_key.sealed_private_key": sealedRecordKeys,
  "template.sealed": sealedTemplates,
  "tool_secret.sealed": sealedToolSecrets,
  "webhook_endpoint.retiring_secrets": sealedEndpointSecrets,
  "webhook_endpoint.sealed_secret": sealedEndpointSecrets
}

const aKey = (id: string): EncryptionKey => ({
  id,
  key: Redacted.make(btoa(String.fromCharCode(...SecureRandom.randomBytesUnsafe(32))))
})
const [OLD, NEW] = [aKey("old"), aKey("new")]

const layerBox = (current: EncryptionKey, ...previous: ReadonlyArray<EncryptionKey>) =>
  Layer.orDie(SecretBoxAes.layer({ current, previous }).pipe(Layer.provide(SecureRandom.layerWebCrypto)))

const atomic = <A, E, R>(effect: Effect.Effect<A, E, R>) => UnitOfWork.use((unit) => unit.atomic(effect))

/** The columns of the schema that hold sealed values, as `table.column`. */
const sealedColumns = SqlClient.SqlClient.use(
  (sql) => sql<{ readonly table: string; readonly column: string }>`
    select table_name as "table", column_name as "column"
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = 'agent_platform' and table_type = 'BASE TABLE'
      and (column_name like 'sealed%' or column_name in ('mcp_servers', 'retiring_secrets'))
  `
)

/** How many rows of each of these columns have something in them under the key of this id. */
const sealedUnder = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const counts: Record<string, number> = {}
  for (const { column, table } of yield* sealedColumns) {
    const rows = yield* sql`select 1 from ${sql(table)} where ${sql(column)}::text like ${`%v1.${id}.%`}`
    counts[`${table}.${column}`] = rows.length
  }
  return counts
})

/** Something in every column, as the apps write it, and how to open each of them. */
const storeSecrets = Effect.gen(function* () {
  const box = yield* SecretBox
  const tenant = yield* aTenant()
  const seal = (place: string) => box.seal(place, Redacted.make(`secret of ${place}`))
  const agent = anAgent(tenant)
  const mcpServers = yield* Effect.forEach(["search", "mail"], (name) =>
    Effect.map(seal(mcpHeadersPlace(agent, { name })), (sealedHeaders) => ({
      name,
      url: `https://${name}.example/mcp`,
      sealedHeaders,
      tools: null
    }))
  )
  const endpoint = {
    url: "https://agents.example/run",
    sealedSecret: yield* seal(endpointSecretPlace(agent)),
    retiring: { sealed: yield* seal(endpointSecretPlace(agent)), expiresAt: BUILT_AT }
  }
  const about = { agentId: agent.id, organizationId: tenant.organizationId, workspaceId: tenant.workspaceId }
  const webhook = {
    ...about,
    tokenHash: "0".repeat(64),
    verification: "stripe" as const,
    sealedSecret: yield* seal(webhookSecretPlace(about)),
    map: null,
    createdAt: BUILT_AT,
    lastReceivedAt: null,
    deletedAt: null
  }
  const recordKey = {
    id: "0123456789abcdef",
    publicKey: "public",
    sealedPrivateKey: yield* seal(recordKeyPlace({ id: "0123456789abcdef" })),
    createdAt: BUILT_AT,
    retiredAt: null
  }
  const providerKey = aProviderKey(tenant)
  const registered = anEndpoint({ organizationId: tenant.organizationId })
  const sealedSecret = yield* seal(secretPlace(registered.id))
  const retiringSecrets = [{ sealed: yield* seal(secretPlace(registered.id)), expiresAt: BUILT_AT }]
  const sealedProviderKey = yield* seal(providerKeyPlace(providerKey))
  const toolSecret = aToolSecret(tenant)
  const sealedToolSecret = yield* seal(toolSecretPlace(toolSecret))
  const template = aTemplate({ organizationId: tenant.organizationId })
  const sealedTemplate = yield* seal(templatePlace(template))
  const fingerprintKey = yield* seal("fingerprint_key")
  yield* atomic(
    Effect.gen(function* () {
      yield* AgentStore.use((store) => store.insert({ ...agent, mcpServers, endpoint, archivedAt: BUILT_AT }))
      yield* InboundWebhookStore.use((store) => store.put(webhook))
      yield* RecordKeyStore.use((store) => store.insert(recordKey))
      yield* ProviderKeyStore.use((store) => store.insert(providerKey, sealedProviderKey))
      yield* ToolSecretStore.use((store) => store.insert(toolSecret, sealedToolSecret))
      yield* TemplateStore.use((store) => store.insert(template, sealedTemplate))
      yield* FingerprintKeyStore.use((store) => store.insert(fingerprintKey))
      yield* EndpointStore.use((store) => store.insert({ ...registered, sealedSecret, retiringSecrets }))
    })
  )
})

suite(Layer.mergeAll(layerPostgres, layerTenants).pipe(Layer.provideMerge(databaseLayer)), {
  excludeTestServices: true
})("columns that are sealed", (it) => {
  it.effect("belong each to a store that is sealed again, and there is no such store besides", () =>
    Effect.gen(function* () {
      const found = (yield* sealedColumns).map(({ column, table }) => `${table}.${column}`)
      assert.sameMembers(found, Object.keys(COLUMNS))
      assert.sameMembers([...new Set(Object.values(COLUMNS))], [...SEALED_STORES])
    })
  )

  it.effect("hold nothing under the old key any more, and all of it opens with the new one alone", () =>
    Effect.gen(function* () {
      yield* Effect.provide(storeSecrets, layerBox(OLD))
      const columns = Object.keys(COLUMNS)
      const [everywhere, nowhere] = [1, 0].map((count) => Object.fromEntries(columns.map((name) => [name, count])))
      assert.deepStrictEqual(yield* sealedUnder(OLD.id), everywhere)
      const counts = yield* resealSecrets({ dryRun: false, onProgress: () => Effect.void }).pipe(
        Effect.provide(layerBox(NEW, OLD))
      )
      assert.deepStrictEqual(
        counts.map(({ name, resealed, superseded, unreadable }) => [name, resealed, superseded, unreadable]),
        [
          ["webhook signing secrets", 2, 0, 0],
          ["provider keys", 1, 0, 0],
          ["tool secrets", 1, 0, 0],
          ["agent secrets", 4, 0, 0],
          ["inbound webhook secrets", 1, 0, 0],
          ["record keys", 1, 0, 0],
          ["templates", 1, 0, 0],
          ["fingerprint keys", 1, 0, 0]
        ]
      )
      assert.deepStrictEqual(yield* sealedUnder(OLD.id), nowhere)
      assert.deepStrictEqual(yield* sealedUnder(NEW.id), everywhere)
      const box = yield* Effect.provide(SecretBox, layerBox(NEW))
      for (const values of yield* Effect.all(SEALED_STORES)) {
        for (const { place, sealed } of yield* values.page(undefined, 10)) {
          assert.strictEqual(Redacted.value(yield* box.open(place, sealed)), `secret of ${place}`)
        }
      }
    })
  )
})
