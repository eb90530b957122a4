/** The rights of the role of the apps. The other suites show that it may do all that the apps need. */
import { grantAccess, layerClient, migrate, migrateFor, schemaState, separateRole } from "@agent-platform/postgres"
import { assert, describe, it, layer as suite } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { appOf, asOwner, databaseLayer, emptyDatabase } from "./support/database.ts"
import { refusal } from "./support/refusal.ts"
import { APP, OWNER } from "./support/roles.ts"

const DENIED = "42501"

const run = (statement: string) => SqlClient.SqlClient.use((sql) => sql.unsafe(statement))

suite(databaseLayer, { excludeTestServices: true })("the role of the apps", (it) => {
  it.effect("owns nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const owned = yield* sql`
        select classid::regclass, objid from pg_shdepend
        where refclassid = 'pg_authid'::regclass and refobjid = current_user::regrole and deptype = 'o'
          and dbid in (0, (select oid from pg_database where datname = current_database()))
      `
      assert.deepStrictEqual([...owned], [])
    })
  )

  it.effect("creates, changes, drops and empties nothing, in any schema", () =>
    Effect.gen(function* () {
      for (const statement of [
        "create table mine (id int)",
        "create temporary table mine (id int)",
        "create schema mine",
        "create function mine() returns int language sql as 'select 1'",
        "create view mine as select 1",
        "create index mine on run (id)",
        "alter table run add column mine int",
        "alter table run_event disable trigger all",
        "alter table run rename to mine",
        "alter function prepare_call_month(date) security invoker",
        "alter table platform_migration owner to current_user",
        "drop table run cascade",
        "drop function drop_delivery_month(date)",
        "drop schema public cascade",
        "truncate activity",
        "insert into platform_migration (domain, number, name) values ('runs', 9000, 'mine')",
        "delete from platform_migration",
        "select pg_read_file('/etc/passwd')",
        "copy run to program 'true'"
      ]) {
        assert.strictEqual(yield* refusal(run(statement)), DENIED, statement)
      }
      assert.isNotEmpty(yield* run("select from platform_migration"))
    })
  )

  it.effect("reads and writes rows of every table but those of the migrations and of single months, and no more", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tables = yield* sql<{ readonly name: string; readonly privileges: string }>`
        select relation.oid::regclass::text as name, (
          select coalesce(string_agg(one, ','), '') from unnest(array[
            'select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger'
          ]) as one where has_table_privilege(relation.oid, one)
        ) as privileges
        from pg_class as relation where relkind in ('r', 'p') and relnamespace = 'agent_platform'::regnamespace
      `
      assert.isAbove(tables.length, 40)
      for (const { name, privileges } of tables) {
        const isMonth = /_\d{4}_\d\d$/.test(name)
        const expected = isMonth ? "" : name === "platform_migration" ? "select" : "select,insert,update,delete"
        assert.strictEqual(privileges, expected, name)
      }
    })
  )

  it.effect("is granted what has come since by the next migration, and nothing that it has already", () =>
    Effect.gen(function* () {
      yield* asOwner((sql) => sql`create table later (id bigserial, word text)`)
      assert.strictEqual(yield* refusal(run("insert into later (word) values ('a')")), DENIED)
      // As after a dump that was restored without its privileges.
      yield* asOwner((sql) => sql`grant execute on function drop_delivery_month(date) to public`)
      const granted = asOwner((sql) =>
        Effect.provideService(grantAccess(APP, "pgboss"), SqlClient.SqlClient, sql).pipe(
          Effect.andThen(
            sql<{ readonly version: string }>`select string_agg(xmin::text, ',' order by oid) as version from pg_class`
          )
        )
      )
      const [first] = yield* granted
      yield* run("insert into later (word) values ('a')")
      const [open] = yield* asOwner(
        (sql) => sql`select has_function_privilege('public', 'drop_delivery_month(date)', 'execute') as is_open`
      )
      assert.deepStrictEqual(open, { is_open: false })
      const [second] = yield* granted
      assert.strictEqual(second?.version, first?.version)
      yield* asOwner((sql) => sql`drop table later`)
    })
  )
})

describe("a role", () => {
  it.effect("that owns the database needs no grants, and one that does not exist is named with what makes it", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase
      yield* Effect.gen(function* () {
        assert.isUndefined(yield* separateRole(OWNER))
        assert.strictEqual(yield* separateRole(APP), APP)
        const missing = yield* Effect.flip(separateRole("Nobody here"))
        assert.strictEqual(missing._tag, "RoleMissing")
        assert.include(missing.message, `create role "Nobody here" login password '…'`)
      }).pipe(Effect.provide(layerClient({ url, maxConnections: 1 })))
    })
  )

  it.effect("that was not granted anything waits for migrations", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase
      const state = Effect.provide(schemaState, layerClient({ url: appOf(url), maxConnections: 1 }))
      yield* Effect.provide(migrate, layerClient({ url, maxConnections: 1 }))
      assert.strictEqual(yield* state, "pending")
      yield* Effect.provide(migrateFor(APP, "pgboss"), layerClient({ url, maxConnections: 1 }))
      assert.strictEqual(yield* state, "current")
    })
  )
})
