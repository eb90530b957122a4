/** Migrations by the owner of the tables, for apps that connect as another role. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Redacted } from "effect"
import { appOf, emptyDatabase } from "../../../packages/postgres/test/support/database.ts"
import { refusal } from "../../../packages/postgres/test/support/refusal.ts"
import { APP, connected, OWNER } from "../../../packages/postgres/test/support/roles.ts"
import { runAdminIn } from "./program.ts"

const withUser = (url: Redacted.Redacted, username: string) =>
  Object.assign(new URL(Redacted.value(url)), { username }).href

const environmentOf = (ownerUrl: Redacted.Redacted) => ({
  DATABASE_URL: Redacted.value(appOf(ownerUrl)),
  DATABASE_OWNER_URL: Redacted.value(ownerUrl)
})

describe("migrate", () => {
  it.live("is done by the owner, and leaves the apps' role a schema that is current and not its own", () =>
    Effect.gen(function* () {
      const ownerUrl = yield* emptyDatabase
      const environment = environmentOf(ownerUrl)
      assert.strictEqual((yield* runAdminIn(environment, "migrate", "--check")).code, 3)
      const previewed = yield* runAdminIn(environment, "migrate", "--preview")
      assert.include(previewed.out, "runs_0001_first")
      assert.strictEqual((yield* runAdminIn(environment, "migrate", "--check")).code, 3)
      const { code, err } = yield* runAdminIn(environment, "migrate")
      assert.strictEqual(code, 0, err)
      assert.strictEqual((yield* runAdminIn(environment, "migrate", "--check")).code, 0)
      const owners = yield* connected(
        appOf(ownerUrl),
        (sql) => sql<{ readonly owner: string }>`
          select distinct pg_get_userbyid(relowner) as owner from pg_class
          where relkind in ('r', 'p') and relnamespace in ('agent_platform'::regnamespace, 'pgboss'::regnamespace)
        `
      )
      assert.deepStrictEqual([...owners], [{ owner: OWNER }])
      const written = yield* connected(appOf(ownerUrl), (sql) =>
        refusal(sql`select count(*) from run, pgboss.job, platform_migration`)
      )
      assert.isUndefined(written)
      const again = yield* runAdminIn(environment, "migrate")
      assert.strictEqual(again.out, "The schema was current\n")
    })
  )

  it.live("is done for one role where no owner is named", () =>
    Effect.gen(function* () {
      const DATABASE_URL = Redacted.value(yield* emptyDatabase)
      const { code, err } = yield* runAdminIn({ DATABASE_URL }, "migrate")
      assert.strictEqual(code, 0, err)
      assert.strictEqual((yield* runAdminIn({ DATABASE_URL }, "migrate", "--check")).code, 0)
    })
  )

  it.live("is refused before anything is changed where the apps' role is not there", () =>
    Effect.gen(function* () {
      const ownerUrl = yield* emptyDatabase
      const DATABASE_URL = withUser(ownerUrl, "agents_of_nobody")
      const { code, err } = yield* runAdminIn({ ...environmentOf(ownerUrl), DATABASE_URL }, "migrate")
      assert.strictEqual(code, 3)
      assert.include(err, "create role agents_of_nobody login password '…'")
      const nameless = yield* runAdminIn(
        { ...environmentOf(ownerUrl), DATABASE_URL: withUser(ownerUrl, "") },
        "migrate"
      )
      assert.strictEqual(nameless.code, 3)
      assert.include(nameless.err, "DATABASE_URL must name the role")
      const tables = yield* connected(
        ownerUrl,
        (sql) => sql`select from pg_class where relowner = current_user::regrole`
      )
      assert.strictEqual(tables.length, 0)
    })
  )

  it.live("is refused to a role that does not own the database, before and after it was migrated", () =>
    Effect.gen(function* () {
      const ownerUrl = yield* emptyDatabase
      const environment = environmentOf(ownerUrl)
      const asApp = runAdminIn({ DATABASE_URL: environment.DATABASE_URL }, "migrate")
      const refused = {
        code: 3,
        out: "",
        err: `admin: The role '${APP}' may not migrate this database: set DATABASE_OWNER_URL to its URL with the role that owns it and its tables\n`
      }
      assert.deepStrictEqual(yield* asApp, refused)
      assert.strictEqual((yield* runAdminIn(environment, "migrate")).code, 0)
      assert.deepStrictEqual(yield* asApp, refused)
    })
  )

  it.live("is refused to a role that may make schemas and nothing in the one of the tables", () =>
    Effect.gen(function* () {
      const ownerUrl = yield* emptyDatabase
      const DATABASE_URL = Redacted.value(appOf(ownerUrl))
      yield* connected(ownerUrl, (sql) => sql`create schema agent_platform`)
      yield* connected(ownerUrl, (sql) =>
        sql.unsafe(`grant create on database ${new URL(DATABASE_URL).pathname.slice(1)} to ${APP}`)
      )
      const { code, err } = yield* runAdminIn({ DATABASE_URL }, "migrate")
      assert.strictEqual(code, 3)
      assert.include(err, `The role '${APP}' may not migrate this database`)
    })
  )

  it.live("is refused where the tables are those of a version before the first release", () =>
    Effect.gen(function* () {
      const ownerUrl = yield* emptyDatabase
      yield* connected(ownerUrl, (sql) =>
        Effect.gen(function* () {
          yield* sql`create table public.migration (migration_id integer primary key, name text not null)`
          yield* sql`create table public.event_outbox (event_id uuid primary key)`
        })
      )
      const { code, err } = yield* runAdminIn(environmentOf(ownerUrl), "migrate")
      assert.strictEqual(code, 3)
      assert.include(err, "made by a version before the first release")
      const run = yield* connected(ownerUrl, (sql) => sql`select from pg_class where relname = 'run'`)
      assert.strictEqual(run.length, 0)
    })
  )

  it.live("gives up where somebody holds a table for longer than it may wait, and says so", () =>
    Effect.gen(function* () {
      const ownerUrl = yield* emptyDatabase
      const environment = environmentOf(ownerUrl)
      yield* runAdminIn(environment, "migrate")
      const isHeld = yield* Deferred.make<void>()
      const holding = yield* connected(ownerUrl, (sql) =>
        sql.withTransaction(
          sql`lock table platform_migration in share mode`.pipe(
            Effect.andThen(Deferred.succeed(isHeld, undefined)),
            Effect.andThen(Effect.never)
          )
        )
      ).pipe(Effect.forkChild)
      yield* Deferred.await(isHeld)
      const { code, err } = yield* runAdminIn(environment, "migrate", "--wait-seconds", "1")
      yield* Fiber.interrupt(holding)
      assert.strictEqual(code, 1)
      assert.include(err, "A table that is to be changed was in use for 1 s. The steps before stay")
      assert.strictEqual((yield* runAdminIn(environment, "migrate")).code, 0)
    })
  )
})
