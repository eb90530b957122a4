/** The functions by which the apps, whose role owns nothing, make and drop partitions by month. */
import { assert, layer as suite } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { asOwner, asSuperuser, databaseLayer } from "./support/database.ts"
import { refusal } from "./support/refusal.ts"
import { APP, OWNER } from "./support/roles.ts"

const [DENIED, INVALID] = ["42501", "22023"]

const run = (statement: string) => SqlClient.SqlClient.use((sql) => sql.unsafe(statement))

/** The partitions of that month, or all of them. */
const partitions = (month = "") =>
  SqlClient.SqlClient.use(
    (sql) => sql<{ readonly name: string; readonly owner: string }>`
      select inhrelid::regclass::text as name, pg_get_userbyid(relowner) as owner
      from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent in ('event'::regclass, 'webhook_delivery'::regclass, 'webhook_attempt'::regclass, 'model_call'::regclass)
        and relname like ${`%${month}`}
      order by relname
    `
  ).pipe(Effect.map((rows) => [...rows]))

suite(databaseLayer, { excludeTestServices: true })("months", (it) => {
  it.effect("are made by the apps, are the owner's, and are dropped by the apps", () =>
    Effect.gen(function* () {
      for (let times = 0; times < 2; times++) {
        yield* run("select prepare_delivery_month('2021-02-01'), prepare_call_month('2021-02-01')")
      }
      const names = ["event", "model_call", "webhook_attempt", "webhook_delivery"].map((table) => `${table}_2021_02`)
      assert.deepStrictEqual(
        yield* partitions("2021_02"),
        names.map((name) => ({ name, owner: OWNER }))
      )
      yield* run("select drop_delivery_month('2021-02-01')")
      assert.deepStrictEqual(yield* partitions("2021_02"), [{ name: "model_call_2021_02", owner: OWNER }])
    })
  )

  it.effect("are not dropped before they are over, and not made far from now or of other days", () =>
    Effect.gen(function* () {
      const before = yield* partitions()
      for (const call of [
        "drop_delivery_month(date_trunc('month', now() at time zone 'UTC')::date)",
        "drop_delivery_month((date_trunc('month', now() at time zone 'UTC') + interval '1 month')::date)",
        "drop_delivery_month('2021-02-02')",
        "drop_delivery_month('-infinity')",
        "prepare_delivery_month('2021-02-02')",
        "prepare_delivery_month('infinity')",
        "prepare_call_month('1999-12-01')",
        "prepare_call_month((date_trunc('month', now()) + interval '121 months')::date)"
      ]) {
        assert.strictEqual(yield* refusal(run(`select ${call}`)), INVALID, call)
      }
      assert.deepStrictEqual(yield* partitions(), before)
    })
  )

  it.effect("are made and dropped by the role of the apps, and by nobody else who does not own them", () =>
    Effect.gen(function* () {
      const definers = yield* asSuperuser(
        (sql) => sql<{ readonly name: string }>`
          select proname as name from pg_proc where prosecdef and pronamespace = 'agent_platform'::regnamespace order by 1
        `
      )
      const names = definers.map(({ name }) => name)
      assert.deepStrictEqual(names, ["drop_delivery_month", "prepare_call_month", "prepare_delivery_month"])
      for (const name of [...names, "first_id_of", "require_month"]) {
        const asStranger = asSuperuser((sql) =>
          refusal(
            // The role is gone with the transaction, which fails.
            sql.withTransaction(
              Effect.gen(function* () {
                yield* sql`create role agent_platform_test_stranger`
                yield* sql`set local role agent_platform_test_stranger`
                yield* sql.unsafe(`select agent_platform.${name}('2020-01-01')`)
                return yield* Effect.die(new Error(`${name} was executed`))
              })
            )
          )
        )
        assert.strictEqual(yield* asStranger, DENIED, name)
      }
    })
  )

  it.effect("are what they are though the apps could make tables and functions of the same names elsewhere", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ readonly name: string }>`select current_database() as name`
      for (const statement of [
        "create schema traps",
        `grant usage, create on schema traps to ${APP}, ${OWNER}`,
        "create table traps.caught (role text)",
        `grant insert, select on traps.caught to ${APP}, ${OWNER}`,
        `grant temporary on database ${row?.name} to ${APP}`
      ]) {
        yield* asSuperuser((superuser) => superuser.unsafe(statement))
      }
      // One that walks into the trap, so that it is known to be one.
      yield* asOwner(
        (owner) => owner`
          create function traps.careless(month date) returns text security definer language plpgsql
            as $$ begin return to_char(month, 'YYYY'); end $$
        `
      )
      yield* sql`
        create function traps.to_char(month date, form text) returns text language plpgsql as $$
          begin
            insert into traps.caught values (current_user);
            return pg_catalog.to_char(month, form);
          end
        $$
      `
      const caughtBy = (statement: string) =>
        sql.withTransaction(
          Effect.gen(function* () {
            for (const table of ["event", "webhook_delivery", "webhook_attempt", "model_call"]) {
              yield* sql.unsafe(`create temporary table ${table} (id uuid, event_id uuid, state text) on commit drop`)
            }
            yield* sql`set local search_path = pg_temp, traps, pg_catalog, public`
            yield* sql.unsafe(statement)
            return (yield* sql<{ readonly role: string }>`select role from traps.caught`).map(({ role }) => role)
          })
        )
      assert.deepStrictEqual(yield* caughtBy("select traps.careless('2020-05-01')"), [OWNER])
      yield* caughtBy(
        "select agent_platform.prepare_delivery_month('2020-05-01'), agent_platform.prepare_call_month('2020-05-01')"
      )
      assert.strictEqual((yield* partitions("2020_05")).length, 4)
      assert.deepStrictEqual(yield* caughtBy("select agent_platform.drop_delivery_month('2020-05-01')"), [OWNER])
      assert.strictEqual((yield* partitions("2020_05")).length, 1)
    })
  )
})
