/** Steps of releases to come, over tables that have rows and are in use. */
import { inTurn, layerClient, MigrationWaitSeconds, migrate, migrateDomains, TIMEOUTS } from "@agent-platform/postgres"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { PLATFORM, STEPS } from "../src/Migrations.ts"
import { hazardsOf } from "../src/migrations/previewStep.ts"
import type { Step } from "../src/migrations/Step.ts"
import { previewMigrations } from "../src/previewMigrations.ts"
import { emptyDatabase } from "./support/database.ts"

const ROWS = 2_500

const release = (...steps: ReadonlyArray<Step>) => ({ ...STEPS, keys: [...STEPS.keys, ...steps] })

const next = (...steps: ReadonlyArray<Step>) => migrateDomains(PLATFORM, release(...steps))

const ADD_PLAN: Step = {
  name: "add_plan",
  statements: () => ["alter table organization add column plan text"]
}

/** Fills `plan` in the order of ids. A statement that is refused at the id that `stop` names shows what a portion keeps. */
const FILL_PLAN: Step = {
  name: "fill_plan",
  table: "organization",
  backfill: (schema) => `
    with portion as (
      select id from ${schema}.organization where id > coalesce($1::text, '00000000-0000-0000-0000-000000000000')::uuid
      order by id limit $2::text::int
    ), written as (
      update ${schema}.organization set plan = 'free' from portion where organization.id = portion.id returning 1
    )
    select case when count(*) = $2::text::int then max(id::text) end as place, (select count(*) from written) as rows from portion
  `
}

const INDEX_PLAN: Step = {
  name: "index_plan",
  index: { name: "organization_plan", table: "organization", definition: "(plan, id)" }
}

/** A database of this release with organizations in it. */
const filled = <A, E>(act: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    return yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* migrate
      yield* sql`
        insert into organization (id, name, created_at)
        select gen_random_uuid(), 'one', now() from generate_series(1, ${ROWS})
      `
      return yield* act
    }).pipe(Effect.provide(layerClient({ url, maxConnections: 4 })), Effect.provideService(MigrationWaitSeconds, 30))
  })

const countOf = (where: string) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql.unsafe<{ readonly count: number }>(`select count(*)::int as count from organization where ${where}`),
      ([row]) => row?.count
    )
  )

/** Several processes that begin at once, each by connections of its own and in its turn. */
const processes = (url: Redacted.Redacted, count: number, ...steps: ReadonlyArray<Step>) =>
  Effect.all(
    Array.from({ length: count }, () =>
      inTurn(next(...steps)).pipe(
        Effect.provide(layerClient({ url, maxConnections: 2, timeouts: TIMEOUTS.migrations })),
        Effect.provideService(MigrationWaitSeconds, 30)
      )
    ),
    { concurrency: "unbounded" }
  )

/** A transaction that has read the table, and goes on until it is told that it is done. */
const reader = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const isHeld = yield* Deferred.make<void>()
  const done = yield* Deferred.make<void>()
  const reading = yield* sql`select from organization limit 1`.pipe(
    Effect.andThen(Deferred.succeed(isHeld, undefined)),
    Effect.andThen(Deferred.await(done)),
    sql.withTransaction,
    Effect.forkChild
  )
  yield* Deferred.await(isHeld)
  return { reading, done }
})

describe("steps of a later release", () => {
  it.live(
    "are run by one of several processes that begin at once, an index that is built beside those who wait, too",
    () =>
      Effect.gen(function* () {
        const url = yield* emptyDatabase
        const run = yield* processes(url, 3, ADD_PLAN, INDEX_PLAN)
        const names = run.flat()
        assert.strictEqual(new Set(names).size, names.length)
        assert.include(names, "keys_0003_index_plan")
      })
  )

  it.live("add, fill and index a column, each kept as it is done", () =>
    filled(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const names = ["keys_0002_add_plan", "keys_0003_fill_plan", "keys_0004_index_plan"]
        assert.deepStrictEqual(yield* next(ADD_PLAN, FILL_PLAN, INDEX_PLAN), names)
        assert.strictEqual(yield* countOf("plan = 'free'"), ROWS)
        const [kept] = yield* sql`select rows::int as rows from platform_migration where name = 'fill_plan'`
        assert.deepStrictEqual({ ...kept }, { rows: ROWS })
        const [index] = yield* sql`select indisvalid from pg_index where indexrelid = 'organization_plan'::regclass`
        assert.deepStrictEqual({ ...index }, { indisvalid: true })
        assert.isEmpty(yield* next(ADD_PLAN, FILL_PLAN, INDEX_PLAN))
      })
    )
  )

  it.live("run once when three processes begin at once", () =>
    filled(
      Effect.gen(function* () {
        const run = yield* Effect.all(
          Array.from({ length: 3 }, () => next(ADD_PLAN, FILL_PLAN, INDEX_PLAN)),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(run.flat().length, 3)
        assert.strictEqual(yield* countOf("plan = 'free'"), ROWS)
      })
    )
  )

  it.live("go on behind the last portion when a backfill was broken off", () =>
    filled(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [at] = yield* sql<{ readonly id: string }>`select id from organization order by id offset 2000 limit 1`
        yield* next(ADD_PLAN)
        yield* sql.unsafe(`alter table organization add constraint stop check (plan is null or id <> '${at?.id}')`)
        yield* Effect.flip(next(ADD_PLAN, FILL_PLAN))
        assert.strictEqual(yield* countOf("plan = 'free'"), 2_000)
        yield* sql`alter table organization drop constraint stop`
        yield* sql`update organization set plan = 'mine' where id < ${at?.id}::uuid`
        assert.deepStrictEqual(yield* next(ADD_PLAN, FILL_PLAN), ["keys_0003_fill_plan"])
        assert.strictEqual(yield* countOf("plan = 'mine'"), 2_000)
        assert.strictEqual(yield* countOf("plan = 'free'"), ROWS - 2_000)
      })
    )
  )

  it.live("keep what was done before a step that is refused", () =>
    filled(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const unique: Step = {
          name: "one_name",
          index: { name: "organization_name", table: "organization", isUnique: true, definition: "(name)" }
        }
        yield* Effect.flip(next(ADD_PLAN, unique))
        const rows = yield* sql`select name from platform_migration where domain = 'keys' order by number`
        assert.deepStrictEqual(
          rows.map(({ name }) => name),
          ["first", "add_plan"]
        )
        // The unfinished index is invalid, and is made anew.
        yield* sql`update organization set name = id::text`
        assert.deepStrictEqual(yield* next(ADD_PLAN, unique), ["keys_0003_one_name"])
      })
    )
  )

  it.live("index every partition, and the table that they are of", () =>
    filled(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const index: Step = {
          name: "index_models",
          index: { name: "model_call_model", table: "model_call", definition: "(workspace_id, request_model)" }
        }
        yield* next(index)
        const [found] = yield* sql`
          select bool_and(indisvalid) as valid, count(*)::int > 3 as of_partitions from pg_index
          where indexrelid in (select relid from pg_partition_tree('model_call_model'))
        `
        assert.deepStrictEqual({ ...found }, { valid: true, of_partitions: true })
      })
    )
  )

  it.live("give way to who uses the table, and hold up nobody who comes meanwhile", () =>
    filled(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { done, reading } = yield* reader
        const migrating = yield* Effect.forkChild(next(ADD_PLAN))
        const waits = sql`select from pg_locks where not granted and mode = 'AccessExclusiveLock'`
        while ((yield* waits).length === 0) yield* Effect.sleep("5 millis")
        // It comes behind the step, and is answered once the step has given way.
        assert.strictEqual(yield* countOf("true"), ROWS)
        yield* Deferred.succeed(done, undefined)
        yield* Fiber.join(reading)
        assert.deepStrictEqual(yield* Fiber.join(migrating), ["keys_0002_add_plan"])
      })
    )
  )

  it.live("give up once they have waited for so long, and say that the table was in use", () =>
    filled(
      Effect.gen(function* () {
        const { done, reading } = yield* reader
        const error = yield* Effect.flip(Effect.provideService(next(ADD_PLAN), MigrationWaitSeconds, 1))
        yield* Deferred.succeed(done, undefined)
        yield* Fiber.join(reading)
        assert.strictEqual(error._tag === "SqlError" && error.reason._tag, "LockTimeoutError")
      })
    )
  )

  it.live("are previewed with their locks and how large the tables are, and not run", () =>
    filled(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`analyze organization`
        const preview = yield* previewMigrations(release(ADD_PLAN, FILL_PLAN, INDEX_PLAN))
        assert.deepStrictEqual(
          preview.map(({ locks, name }) => [name, ...locks.map(({ isLong, lock, rows }) => ({ isLong, lock, rows }))]),
          [
            ["keys_0002_add_plan", { isLong: false, lock: "access exclusive", rows: ROWS }],
            ["keys_0003_fill_plan", { isLong: false, lock: "row exclusive", rows: ROWS }],
            ["keys_0004_index_plan", { isLong: true, lock: "share update exclusive", rows: ROWS }]
          ]
        )
        assert.isAbove(preview[0]?.locks[0]?.bytes ?? 0, 100_000)
        assert.strictEqual((yield* next(ADD_PLAN)).length, 1)
      })
    )
  )
})

describe("a step that would hold up running apps", () => {
  const refused = (...statements: ReadonlyArray<string>) =>
    hazardsOf({ name: "made_up", statements: () => statements }, "agent_platform").length > 0

  it("is found by its statements", () => {
    for (const statement of [
      "create index run_made_up on run (id)",
      "create unique index run_made_up on agent_platform.run (id)",
      "alter table run add constraint made_up check (attempt > 0)",
      "alter table run add foreign key (agent_id) references agent (id)",
      "alter table run alter column priority type bigint",
      "alter table run alter priority set not null",
      "update run set priority = 0",
      "delete from run"
    ])
      assert.isTrue(refused(statement), statement)
  })

  it("is not one that adds what is checked later, or makes a table of its own", () => {
    for (const statements of [
      ["alter table run add column made_up text"],
      ["alter table run add constraint made_up check (attempt > 0) not valid"],
      ["alter table run validate constraint made_up"],
      ["alter table run add constraint a foreign key (agent_id) references agent (id) not valid"],
      ["create table made_up (id uuid)", "create index made_up_id on made_up (id)", "insert into made_up select 1"],
      ["drop table if exists made_up"]
    ])
      assert.isFalse(refused(...statements), statements.join("; "))
  })

  it("is none of those that are released", () => {
    const later = Object.values(STEPS).flatMap((steps) => steps.slice(1))
    assert.deepStrictEqual(
      later.flatMap((step) => hazardsOf(step, "agent_platform")),
      []
    )
  })
})
