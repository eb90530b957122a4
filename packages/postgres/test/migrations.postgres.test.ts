import { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { layerClient, migrate, migrateDomains, schemaState } from "@agent-platform/postgres"
import { DatabaseSchema } from "@agent-platform/toolkit"
import { assert, describe, it, layer as suite } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { hasProperty } from "effect/Predicate"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { databaseLayer, emptyDatabase } from "./support/database.ts"

/** As one more process: with a client of its own. */
const inProcess = (url: Redacted.Redacted) => Effect.provide(layerClient({ url, maxConnections: 2 }))

describe("migrations", () => {
  it.effect("make an empty database current, and once they have there is nothing left to do", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* schemaState, "pending")
        assert.isAbove((yield* migrate).length, 0)
        assert.strictEqual(yield* schemaState, "current")
        assert.isEmpty(yield* migrate)
      }).pipe(inProcess(url))
    })
  )

  it.live("run once when three processes begin at once", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase
      const run = yield* Effect.all(
        Array.from({ length: 3 }, () => migrate.pipe(inProcess(url))),
        {
          concurrency: "unbounded"
        }
      )
      // They take turns by the step.
      const names = run.flat()
      assert.strictEqual(new Set(names).size, names.length)
      assert.strictEqual(names.length, 6)
      assert.strictEqual(yield* schemaState.pipe(inProcess(url)), "current")
    })
  )

  it.effect("refuse a database of a later release and leave it as it is", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const known = (yield* migrate).length
        yield* sql`insert into platform_migration (domain, number, name) values ('runs', 9000, 'of_a_later_release')`
        assert.strictEqual(yield* schemaState, "ahead")
        const refused = yield* Effect.flip(migrate)
        assert.strictEqual(refused._tag, "DatabaseAhead")
        assert.include(refused.message, "9000")
        assert.strictEqual((yield* sql`select 1 from platform_migration`).length, known + 1)
      }).pipe(inProcess(url))
    })
  )

  it.effect.each([
    ["another text of a first step", "update platform_migration set digest = 'of another' where domain = 'runs'"],
    ["a version that kept no texts", "alter table platform_migration drop column digest"]
  ] as const)("refuse tables that were made by %s, and leave them as they are", ([, change]) =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const known = (yield* migrate).length
        yield* sql.unsafe(change)
        assert.strictEqual(yield* schemaState, "pending")
        const refused = yield* Effect.flip(migrate)
        assert.strictEqual(refused._tag, "DatabaseTooOld")
        assert.include(refused.message, "another DATA_DIR")
        assert.strictEqual((yield* sql`select 1 from platform_migration`).length, known)
      }).pipe(inProcess(url))
    })
  )

  it.effect("know their own tables in a schema of another name", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase
      yield* Effect.gen(function* () {
        assert.isAbove((yield* migrate).length, 0)
        assert.strictEqual(yield* schemaState, "current")
      }).pipe(inProcess(url), Effect.provideService(DatabaseSchema, "another_place"))
    })
  )

  const foreignKeys = SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{ readonly key: string }>`
        select conrelid::regclass || ' ' || pg_get_constraintdef(oid) as key from pg_constraint
        where contype = 'f' and connamespace = 'agent_platform'::regnamespace order by key
      `,
      (rows) => rows.map(({ key }) => key)
    )
  )

  it.effect("install one domain without the tables of any other", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(yield* migrateDomains(["webhooks"]), ["shared_0001_first", "webhooks_0001_first"])
        const [there] =
          yield* sql`select to_regclass('webhook_endpoint')::text as endpoint, to_regclass('workspace')::text as workspace`
        assert.deepStrictEqual({ ...there }, { endpoint: "webhook_endpoint", workspace: null })
        assert.deepStrictEqual(yield* foreignKeys, [
          "webhook_replay FOREIGN KEY (organization_id, endpoint_id) REFERENCES webhook_endpoint(organization_id, id)"
        ])
        assert.strictEqual(yield* schemaState, "pending")
      }).pipe(inProcess(url))
    })
  )

  it.effect("make the references between domains in whatever order those come", () =>
    Effect.gen(function* () {
      const [whole, parts] = [yield* emptyDatabase, yield* emptyDatabase]
      const expected = yield* Effect.andThen(migrate, foreignKeys).pipe(inProcess(whole))
      const found = yield* Effect.gen(function* () {
        for (const domain of ["feeds", "webhooks", "billing", "runs", "keys"] as const) yield* migrateDomains([domain])
        assert.strictEqual(yield* schemaState, "current")
        assert.isEmpty(yield* migrate)
        return yield* foreignKeys
      }).pipe(inProcess(parts))
      assert.isAbove(expected.length, 40)
      assert.deepStrictEqual(found, expected)
    })
  )

  it.effect("know a database that cannot be reached", () =>
    Effect.gen(function* () {
      const url = Redacted.make("postgres://nobody@127.0.0.1:1/nowhere")
      assert.strictEqual(yield* schemaState.pipe(inProcess(url)), "unreachable")
    })
  )
})

describe("the schema", () => {
  suite(databaseLayer)((it) => {
    const anOrganization = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [organization, workspace] = [anId(OrganizationId), anId(WorkspaceId)]
      yield* sql`insert into organization (id, name, created_at) values (${organization}, 'one', now())`
      yield* sql`
        insert into workspace (organization_id, id, name, timezone, created_at)
        values (${organization}, ${workspace}, 'main', 'UTC', now())
      `
      return { organization, workspace }
    })
    const insertKey = (organization: string, workspace: string | null, kind: string) =>
      SqlClient.SqlClient.use((sql) => {
        const id = SecureRandom.uuidV7Unsafe()
        return sql`
          insert into api_key (
            organization_id, workspace_id, id, kind, name, hash, hint, scopes, metadata, disabled, version, created_at,
            created_by_type, created_by_id, created_by_label
          ) values (
            ${organization}, ${workspace}, ${id}, ${kind}, '', ${id}, '', '{}', '{}', false, 1, now(), 'user', '', ''
          )
        `
      })
    const [NOT_UNIQUE, NO_SUCH_ROW, CHECK_FAILED] = ["23505", "23503", "23514"]
    const refusal = <A, R>(effect: Effect.Effect<A, SqlError, R>) =>
      Effect.map(Effect.flip(effect), (error) =>
        hasProperty(error.reason.cause, "code") ? error.reason.cause.code : undefined
      )

    it.effect("refuses a key for a workspace of another organization", () =>
      Effect.gen(function* () {
        const [mine, other] = [yield* anOrganization, yield* anOrganization]
        yield* insertKey(mine.organization, mine.workspace, "workspace")
        const refused = yield* refusal(insertKey(mine.organization, other.workspace, "workspace"))
        assert.strictEqual(refused, NO_SUCH_ROW)
      })
    )

    it.effect("refuses a workspace key without a workspace, and an organization key with one", () =>
      Effect.gen(function* () {
        const mine = yield* anOrganization
        yield* insertKey(mine.organization, null, "organization")
        assert.strictEqual(yield* refusal(insertKey(mine.organization, null, "workspace")), CHECK_FAILED)
        assert.strictEqual(yield* refusal(insertKey(mine.organization, mine.workspace, "organization")), CHECK_FAILED)
      })
    )

    it.effect("refuses a workspace of two organizations", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [mine, other] = [yield* anOrganization, yield* anOrganization]
        const refused = yield* refusal(sql`
          insert into workspace (organization_id, id, name, timezone, created_at)
          values (${mine.organization}, ${other.workspace}, 'stolen', 'UTC', now())
        `)
        assert.strictEqual(refused, NOT_UNIQUE)
      })
    )

    it.effect("refuses a delivery in a state that does not exist, or pending without a time", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const insert = (state: string) =>
          sql`
            insert into webhook_delivery (
              endpoint_id, event_id, organization_id, event_type, state, attempt_count, failures, created_at
            ) values (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'run.failed', ${state}, 0, 0, now())
          `
        yield* insert("delivered")
        assert.strictEqual(yield* refusal(insert("lost")), CHECK_FAILED)
        assert.strictEqual(yield* refusal(insert("pending")), CHECK_FAILED)
      })
    )
  })
})
