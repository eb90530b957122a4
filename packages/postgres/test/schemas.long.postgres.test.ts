/** Installations in schemas of their own in one database, whose search path leads nowhere. */
import { callLedgerContract } from "@agent-platform/billing/testing"
import { notificationFeedContract } from "@agent-platform/feeds/testing"
import { OrganizationId, UnitOfWork } from "@agent-platform/kernel"
import { layer as memory } from "@agent-platform/kernel/memory"
import { anId, signalsContract } from "@agent-platform/kernel/testing"
import { TenancyStore } from "@agent-platform/keys"
import { apiKeyStoreContract, tenancyStoreContract } from "@agent-platform/keys/testing"
import { layerClient, migrateFor, layer as postgres } from "@agent-platform/postgres"
import { DatabaseSchema } from "@agent-platform/toolkit"
import { deliveryContract, deliveryHistoryContract, endpointStoreContract } from "@agent-platform/webhooks/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Redacted } from "effect"
import { layerBilledRuns } from "./support/billedRuns.ts"
import { appOf, emptyDatabase } from "./support/database.ts"
import { APP, connected } from "./support/roles.ts"
import { layerTenants } from "./support/tenants.ts"

const useless = (ownerUrl: Redacted.Redacted) => {
  const database = new URL(Redacted.value(ownerUrl)).pathname.slice(1)
  return connected(ownerUrl, (sql) => sql.unsafe(`alter database ${database} set search_path to nowhere`))
}

/** An installation in this schema. */
const installed = (ownerUrl: Redacted.Redacted, schema: string) => {
  const migrated = migrateFor(APP, "pgboss").pipe(
    Effect.provide(layerClient({ url: ownerUrl, maxConnections: 1 })),
    Effect.orDie
  )
  return postgres.pipe(
    Layer.provideMerge(layerClient({ url: appOf(ownerUrl), maxConnections: 12 })),
    Layer.provide(Layer.effectDiscard(migrated)),
    Layer.orDie,
    Layer.provide(Layer.succeed(DatabaseSchema, schema))
  )
}

const elsewhere = Layer.unwrap(
  Effect.gen(function* () {
    const ownerUrl = yield* emptyDatabase
    yield* useless(ownerUrl).pipe(Effect.orDie)
    return Layer.mergeAll(layerTenants, layerBilledRuns).pipe(Layer.provideMerge(installed(ownerUrl, "elsewhere")))
  })
)
const withMemory = Layer.provideMerge(elsewhere, memory)

signalsContract("another schema of Postgres", elsewhere)
tenancyStoreContract("another schema of Postgres", elsewhere)
apiKeyStoreContract("another schema of Postgres", withMemory)
endpointStoreContract("another schema of Postgres", withMemory)
deliveryContract("another schema of Postgres", elsewhere)
deliveryHistoryContract("another schema of Postgres", elsewhere)
callLedgerContract("another schema of Postgres", elsewhere)
notificationFeedContract("another schema of Postgres", elsewhere)

describe("two installations in one database", () => {
  it.live("have nothing of each other", () =>
    Effect.gen(function* () {
      const ownerUrl = yield* emptyDatabase
      yield* useless(ownerUrl)
      const organization = { id: anId(OrganizationId), name: "Acme", createdAt: yield* DateTime.now }
      const find = TenancyStore.use((store) => store.findOrganization(organization.id))
      const [one, two] = [
        yield* Layer.build(installed(ownerUrl, "one")),
        yield* Layer.build(installed(ownerUrl, "two"))
      ]
      yield* UnitOfWork.use((unit) =>
        unit.atomic(TenancyStore.use((store) => store.insertOrganization(organization)))
      ).pipe(Effect.provideContext(one))
      assert.isDefined(yield* Effect.provideContext(find, one))
      assert.isUndefined(yield* Effect.provideContext(find, two))
      const names = yield* connected(
        ownerUrl,
        (sql) => sql<{ readonly name: string }>`
          select nspname || '.' || relname as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
          where relname = 'organization' and relkind = 'r' order by name
        `
      )
      assert.deepStrictEqual(
        names.map(({ name }) => name),
        ["one.organization", "two.organization"]
      )
    }).pipe(Effect.scoped)
  )
})
