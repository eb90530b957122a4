/** Writing the last use of a key waits for no lock, and makes nothing wait. */
import { OrganizationId, Transaction } from "@agent-platform/kernel"
import { ApiKeyId, ApiKeyStore } from "@agent-platform/keys"
import { PgApiKeyStore } from "@agent-platform/postgres"
import { assert, layer as suite } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { databaseLayer } from "./support/database.ts"

suite(databaseLayer, { excludeTestServices: true })("the last use of a key", (it) => {
  const lastUse = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly last_used_at: Date | null }>`select last_used_at from api_key`
    return row?.last_used_at
  })

  it.effect("is not noted while somebody else changes the key, which holds up neither", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into organization (id, name, created_at) values (gen_random_uuid(), 'one', now())`
      const [key] = yield* sql<{ readonly organization_id: string; readonly id: string }>`
        insert into api_key (
          organization_id, id, kind, name, hash, hint, scopes, metadata, disabled, version, created_at,
          created_by_type, created_by_id, created_by_label
        )
        select id, gen_random_uuid(), 'organization', '', 'hash', '', '{}', '{}', false, 1, now(), 'user', '', ''
        from organization
        returning organization_id, id
      `
      const use = {
        organizationId: OrganizationId.make(key!.organization_id),
        id: ApiKeyId.make(key!.id),
        at: DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")
      }
      const note = ApiKeyStore.use((store) =>
        Effect.provideService(store.noteUses([use]), Transaction, { id: "of its own" })
      ).pipe(Effect.provide(PgApiKeyStore.layer), Effect.provideService(SqlClient.SqlClient, sql))
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`update api_key set name = 'held'`
          // Run by itself it is not in the transaction, and has a connection of its own.
          yield* Effect.promise(() => Effect.runPromise(note))
        })
      )
      assert.isNull(yield* lastUse)
      yield* note
      assert.deepStrictEqual(yield* lastUse, DateTime.toDateUtc(use.at))
    })
  )
})
