/** The schema: for each domain a list of steps, each run once and in order. */
import { DatabaseSchema } from "@agent-platform/toolkit"
import { Data, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { billing } from "./migrations/billing.ts"
import { feeds } from "./migrations/feeds.ts"
import { keys } from "./migrations/keys.ts"
import { referencesWith } from "./migrations/references.ts"
import { runs } from "./migrations/runs.ts"
import type { Domain, Step } from "./migrations/Step.ts"
import { shared } from "./migrations/shared.ts"
import { webhooks } from "./migrations/webhooks.ts"

/** The steps of each domain; its first makes its tables. A released step is never edited. */
const STEPS: Readonly<Record<Domain, ReadonlyArray<Step>>> = { shared, keys, runs, billing, webhooks, feeds }

/** In the order in which they are installed. */
const DOMAINS = Object.keys(STEPS) as ReadonlyArray<Domain>

/** How long a step waits for a table: behind one that waits, everybody waits. */
export const LOCK_SECONDS = 10

/** Where the steps that were run are kept. */
export const MIGRATION_TABLE = "platform_migration"

/** The database has steps that this code does not know: it belongs to a later release. Nothing was changed. */
export class DatabaseAhead extends Data.TaggedError("DatabaseAhead")<{
  readonly domain: string
  readonly applied: number
  readonly known: number
}> {
  override get message() {
    return (
      `The database is at migration ${this.applied} of ${this.domain}, but this release knows only ${this.known}. ` +
      "Run a release that is at least as new as the database"
    )
  }
}

/** The database was made by a version before the first release. Nothing was changed. */
export class DatabaseUnreleased extends Data.TaggedError("DatabaseUnreleased") {
  override readonly message =
    "The database was made by a version before the first release, whose tables are not carried over. Nothing was changed. " +
    "Give this release a new database, or under `npm start` another DATA_DIR, and keep the old one for as long as you need its rows"
}

/** The database refused a step; all pending steps were rolled back together. */
export type MigrationFailed = DatabaseAhead | DatabaseUnreleased | SqlError

/** How many steps of each domain were run. */
const appliedSteps = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly found: boolean }>`
    select to_regclass('agent_platform.platform_migration') is not null as found
  `
  const rows =
    row?.found === true
      ? yield* sql<{ readonly domain: string; readonly latest: number }>`
          select domain, max(number) as latest from agent_platform.platform_migration group by domain
        `
      : []
  return new Map(rows.map(({ domain, latest }) => [domain, latest]))
})

/** Whether the tables of a version before the first release are here, by what it kept of its steps. */
const isUnreleased = SqlClient.SqlClient.use((sql) =>
  Effect.map(
    sql<{ readonly found: boolean }>`
      select exists (
        select from pg_attribute where attrelid = to_regclass('public.migration') and attname = 'migration_id'
      ) and to_regclass('public.event_outbox') is not null as found
    `,
    ([row]) => row?.found === true
  )
)

/**
 * Does in a transaction what only one process at a time may do to the platform's schema; the others wait. The schema is made where
 * it is missing, and is the one of names that say none.
 */
export const inTurn = <A, E, R>(act: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R | SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const schema = yield* DatabaseSchema
    const enter = Effect.gen(function* () {
      yield* sql`select pg_advisory_xact_lock(hashtextextended('agent_platform.migration', 0))`
      const [there] = yield* sql`select from pg_namespace where nspname = ${schema}`
      if (there === undefined) yield* sql.unsafe(`create schema ${schema}`)
      yield* sql.unsafe(`set local search_path to ${schema}`)
    })
    return yield* sql.withTransaction(Effect.andThen(enter, act))
  })

/** Runs the steps of a domain that were not run, and answers their names. */
const migrateDomain = Effect.fnUntraced(function* (domain: Domain, applied: number, present: ReadonlySet<Domain>) {
  const sql = yield* SqlClient.SqlClient
  const schema = yield* DatabaseSchema
  const pending = STEPS[domain].slice(applied)
  for (const [index, { name, statements }] of pending.entries()) {
    yield* Effect.forEach(statements(schema), (text) => sql.unsafe(text), { discard: true })
    yield* sql`
      insert into agent_platform.platform_migration (domain, number, name) values (${domain}, ${applied + index + 1}, ${name})
    `
  }
  if (applied === 0)
    yield* Effect.forEach(referencesWith(domain, present), (text) => sql.unsafe(text), { discard: true })
  return pending.map(({ name }, index) => `${domain}_${String(applied + index + 1).padStart(4, "0")}_${name}`)
})

/**
 * Brings the tables of these domains up to date in one transaction and answers the steps run, of which there may be none.
 * References between domains are made where both are there. Any number of processes may do so at once: one works, the others
 * wait and find nothing left to do. Fails where a table is held by others for longer than `LOCK_SECONDS`, and has changed
 * nothing then.
 */
export const migrateDomains = (
  domains: ReadonlyArray<Domain>
): Effect.Effect<ReadonlyArray<string>, MigrationFailed, SqlClient.SqlClient> =>
  inTurn(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql.unsafe(`set local lock_timeout = '${LOCK_SECONDS}s'`)
      const applied = yield* appliedSteps
      if (applied.size === 0 && (yield* isUnreleased)) return yield* new DatabaseUnreleased()
      for (const domain of DOMAINS) {
        const [latest, known] = [applied.get(domain) ?? 0, STEPS[domain].length]
        if (latest > known) return yield* new DatabaseAhead({ domain, applied: latest, known })
      }
      yield* sql.unsafe(`create table if not exists ${MIGRATION_TABLE} (
        domain text not null,
        number integer not null,
        name text not null,
        run_at timestamptz not null default now(),
        primary key (domain, number)
      )`)
      // Refuses who is not the owner, even where there is nothing to do.
      yield* sql.unsafe(`lock table ${MIGRATION_TABLE} in share row exclusive mode`)
      const present = new Set(DOMAINS.filter((domain) => applied.has(domain)))
      const run: Array<string> = []
      for (const domain of DOMAINS) {
        if (domain !== "shared" && !domains.includes(domain)) continue
        run.push(...(yield* migrateDomain(domain, applied.get(domain) ?? 0, present)))
        present.add(domain)
      }
      return run
    })
  )

/** The tables of all domains. */
export const migrate = migrateDomains(DOMAINS)

/**
 * How the database's schema stands to this code. Only `current` is ready; `ahead` is what the old processes see while a
 * later release is rolled out.
 */
export type SchemaState = "current" | "pending" | "ahead" | "unreachable"

/**
 * Asks the database once. Never fails: a database that cannot be asked is `unreachable`, and one in which this role may read
 * nothing waits for the migrations that grant it.
 */
export const schemaState: Effect.Effect<SchemaState, never, SqlClient.SqlClient> = appliedSteps.pipe(
  Effect.map((applied): SchemaState => {
    const missing = DOMAINS.map((domain) => STEPS[domain].length - (applied.get(domain) ?? 0))
    return missing.some((steps) => steps > 0) ? "pending" : missing.some((steps) => steps < 0) ? "ahead" : "current"
  }),
  Effect.catch(({ reason }) =>
    Effect.succeed<SchemaState>(reason._tag === "AuthorizationError" ? "pending" : "unreachable")
  ),
  Effect.catchCause(() => Effect.succeed<SchemaState>("unreachable"))
)
