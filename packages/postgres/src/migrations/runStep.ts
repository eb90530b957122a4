/** Runs one step beside apps that go on; it makes them wait for `LOCK_MILLIS` at most. */
import { DatabaseSchema } from "@agent-platform/toolkit"
import { Clock, Context, Effect, Option, Predicate, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { digestOf } from "./digests.ts"
import type { BackfillStep, Domain, IndexStep, NumberedStep } from "./Step.ts"

/**
 * How long one try waits for a table; all others on the table wait behind it. It is less than Postgres's `deadlock_timeout`, so
 * that where a step and a request wait for each other it is the step that gives up.
 */
const LOCK_MILLIS = 500

/** Rows of one portion of a backfill. */
const PORTION = 1_000

/** How long a step tries to get its tables before the migration gives up, in seconds. */
export const MigrationWaitSeconds = Context.Reference<number>("@agent-platform/postgres/MigrationWaitSeconds", {
  defaultValue: () => 60
})

/** The advisory lock under which a step is run, so that one process runs steps at a time. */
const TURN = "hashtextextended('agent_platform.migration', 0)"

/**
 * How often a lock that is taken is asked for again, outside of any transaction. Waiting inside a statement would hold a snapshot, and
 * an index that is built concurrently waits for all snapshots: both would wait for each other, and Postgres would not notice the
 * deadlock where the lock and the index belong to two sessions.
 */
const AGAIN = Schedule.jittered(Schedule.spaced("50 millis"))

type Ask<E> = (text: string) => Effect.Effect<ReadonlyArray<object>, E>

/** Asks once for an advisory lock; returns whether it was granted. */
const tried = <E>(ask: Ask<E>, way: "pg_try_advisory_lock" | "pg_try_advisory_xact_lock", key: string) =>
  Effect.map(
    ask(`select ${way}(${key}) as taken`),
    ([row]) => Predicate.hasProperty(row, "taken") && row.taken === true
  )

/** Waits for an advisory lock of the session that `ask` uses, and holds it until the scope is closed. */
export const holding = <E>(ask: Ask<E>, key: string) =>
  Effect.acquireRelease(
    Effect.repeat(tried(ask, "pg_try_advisory_lock", key), { until: (taken) => taken, schedule: AGAIN }),
    () => Effect.ignore(ask(`select pg_advisory_unlock(${key})`)),
    { interruptible: true }
  )

/**
 * Runs an effect in a transaction in which names without a schema are looked up in ours, and which waits for no table for long. Other
 * processes that do so wait for their turn. The schema is made where it is missing.
 */
export const inStep = <A, E, R>(act: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const schema = yield* DatabaseSchema
    const begin = Effect.gen(function* () {
      const [there] = yield* sql`select from pg_namespace where nspname = ${schema}`
      if (there === undefined) yield* sql.unsafe(`create schema ${schema}`)
      yield* sql.unsafe(`set local search_path to ${schema}`)
      yield* sql.unsafe(`set local lock_timeout = '${LOCK_MILLIS}ms'`)
    })
    const once = sql.withTransaction(
      Effect.flatMap(
        tried((text) => sql.unsafe<object>(text), "pg_try_advisory_xact_lock", TURN),
        (taken) => (taken ? Effect.asSome(Effect.andThen(begin, act)) : Effect.succeedNone)
      )
    )
    return yield* Effect.flatMap(
      Effect.repeat(once, { until: Option.isSome, schedule: AGAIN }),
      Option.match({ onNone: () => Effect.die(new Error("A turn was not waited for")), onSome: Effect.succeed })
    )
  })

const isInUse = (error: unknown): boolean =>
  isSqlError(error) && (error.reason._tag === "LockTimeoutError" || error.reason._tag === "DeadlockError")

/** Tries again while a table is in use, for `MigrationWaitSeconds`; then it fails as its last try did. */
export const patiently = <A, E, R>(act: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(MigrationWaitSeconds, (seconds) =>
    Effect.retry(act, {
      while: isInUse,
      schedule: Schedule.spaced("1 second").pipe(Schedule.jittered, Schedule.upTo({ duration: `${seconds} seconds` }))
    })
  )

interface Kept {
  readonly is_run: boolean
  readonly place: string | null
  readonly rows: string
}

const NOTHING: Kept = { is_run: false, place: null, rows: "0" }

/** The stored state of a step. A row without `run_at` belongs to a backfill that is under way. */
const keptOf = (domain: Domain, number: number) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<Kept>`
        select run_at is not null as is_run, place, rows from agent_platform.platform_migration
        where domain = ${domain} and number = ${number}
      `,
      ([row]) => row ?? NOTHING
    )
  )

/** Ends a step: runs `act` and stores, in the same transaction, that the step was run. Returns false where another process has run it. */
const ending = (
  numbered: NumberedStep,
  act: Effect.Effect<unknown, SqlError, SqlClient.SqlClient>
): Effect.Effect<boolean, SqlError, SqlClient.SqlClient> =>
  patiently(
    inStep(
      Effect.gen(function* () {
        const { domain, number, step } = numbered
        if ((yield* keptOf(domain, number)).is_run) return false
        yield* act
        const sql = yield* SqlClient.SqlClient
        yield* sql`
          insert into agent_platform.platform_migration (domain, number, name, digest)
          values (${domain}, ${number}, ${step.name}, ${digestOf(numbered)})
          on conflict (domain, number) do update set run_at = now(), digest = excluded.digest
        `
        return true
      })
    )
  )

/** Selects the table, or those of its partitions, that lack a valid index of this name, each with the name that its index gets. */
const withoutIndex = ({ name, table }: IndexStep["index"], schema: string) => `
  select relation.relname as table, wanted.name as index
  from pg_class as relation
  cross join lateral (
    select case when relispartition then left(relation.relname || '_${name}', 63) else '${name}' end as name
  ) as wanted
  where relkind = 'r' and relation.oid in (
      select to_regclass('${schema}.${table}')
      union all select relid from pg_partition_tree(to_regclass('${schema}.${table}')) where isleaf
    )
    and not exists (
      select from pg_index join pg_class as index on index.oid = indexrelid
      where indrelid = relation.oid and indisvalid and index.relname = wanted.name
    )
  order by relation.relname
`

/**
 * Builds the index where it is missing, while rows are read and written; one that an earlier try left unfinished is built anew. This
 * cannot be done in a transaction, so all of it goes over one session, which holds the lock.
 */
const makeIndex = (index: IndexStep["index"]) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const schema = yield* DatabaseSchema
    const session = yield* sql.reserve
    const run = (text: string) => session.execute(text, [], undefined)
    yield* holding(run, TURN)
    const kind = index.isUnique === true ? "unique index" : "index"
    const missing = (yield* run(withoutIndex(index, schema))) as ReadonlyArray<{ table: string; index: string }>
    for (const one of missing) {
      yield* run(`drop index concurrently if exists ${schema}.${one.index}`)
      yield* run(`create ${kind} concurrently ${one.index} on ${schema}.${one.table} ${index.definition}`)
    }
  }).pipe(Effect.scoped, patiently)

/** Makes the index of a partitioned table, which adopts those of its partitions. A partition made since then has few rows to index. */
const attachIndex = Effect.fnUntraced(function* (index: IndexStep["index"]) {
  const sql = yield* SqlClient.SqlClient
  const [parent] = yield* sql`select from pg_class where oid = ${index.table}::text::regclass and relkind = 'p'`
  if (parent === undefined) return
  const kind = index.isUnique === true ? "unique index" : "index"
  yield* sql.unsafe(`create ${kind} if not exists ${index.name} on ${index.table} ${index.definition}`)
})

interface Portion {
  readonly place: string | null
  readonly rows: number | string
}

/** About how many rows a table has, by the planner's statistics. */
const rowsOf = (table: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const name = `${yield* DatabaseSchema}.${table}`
    const [row] = yield* sql<{ readonly rows: string }>`
      select coalesce(sum(greatest(reltuples, 0)), 0)::bigint::text as rows from pg_class
      where oid = to_regclass(${name}) or oid in (select relid from pg_partition_tree(to_regclass(${name})) where isleaf)
    `
    return row?.rows ?? "0"
  })

/** Runs a backfill from the place that is stored, and rests after each portion for as long as that took. */
const fillBack = Effect.fnUntraced(function* ({ domain, number, step }: NumberedStep, backfill: BackfillStep) {
  const sql = yield* SqlClient.SqlClient
  const text = backfill.backfill(yield* DatabaseSchema)
  const total = yield* rowsOf(backfill.table)
  const portion = Effect.gen(function* () {
    const kept = yield* keptOf(domain, number)
    if (kept.is_run) return undefined
    const [done] = yield* sql.unsafe<Portion>(text, [kept.place, PORTION])
    const rows = Number(kept.rows) + Number(done?.rows ?? 0)
    const place = done?.place ?? null
    yield* sql`
      insert into agent_platform.platform_migration (domain, number, name, place, rows, run_at)
      values (${domain}, ${number}, ${step.name}, ${place}, ${rows}, null)
      on conflict (domain, number) do update set place = excluded.place, rows = excluded.rows
    `
    return { place, rows }
  })
  while (true) {
    const begun = yield* Clock.currentTimeMillis
    const done = yield* patiently(inStep(portion))
    if (done === undefined) return
    yield* Effect.logInfo(`${step.name}: ${done.rows} rows written of ${backfill.table}, which has about ${total}`)
    if (done.place === null) return
    yield* Effect.sleep((yield* Clock.currentTimeMillis) - begun)
  }
})

/**
 * Runs a step and returns whether this process did. Where it is a step of statements, those that `more` returns are run in the same
 * transaction.
 */
export const runStep = (
  numbered: NumberedStep,
  more: Effect.Effect<ReadonlyArray<string>, SqlError, SqlClient.SqlClient>
): Effect.Effect<boolean, SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { step } = numbered
    if ("statements" in step) {
      const own = step.statements(yield* DatabaseSchema)
      const all = Effect.flatMap(more, (texts) =>
        Effect.forEach([...own, ...texts], (text) => sql.unsafe(text), { discard: true })
      )
      return yield* ending(numbered, all)
    }
    if ("index" in step) {
      yield* makeIndex(step.index)
      return yield* ending(numbered, attachIndex(step.index))
    }
    yield* fillBack(numbered, step)
    return yield* ending(numbered, Effect.void)
  })
