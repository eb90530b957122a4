/** The schema: for each domain a list of steps, each run once and in order. */
import { Data, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { billing, metering } from "./migrations/billing.ts"
import { digestOf } from "./migrations/digests.ts"
import { feeds } from "./migrations/feeds.ts"
import { keyring, keys } from "./migrations/keys.ts"
import { publishing } from "./migrations/publishing.ts"
import { referencesWith } from "./migrations/references.ts"
import { holding, inStep, patiently, runStep } from "./migrations/runStep.ts"
import { runs } from "./migrations/runs.ts"
import type { Domain, NumberedStep, Step } from "./migrations/Step.ts"
import { shared } from "./migrations/shared.ts"
import { webhooks } from "./migrations/webhooks.ts"

/** The steps of each domain, which are installed in this order; the first of each makes its tables. */
export type Steps = Readonly<Record<Domain, ReadonlyArray<Step>>>

/** The steps of this release. A released step is never edited. */
export const STEPS: Steps = { shared, keys, runs, billing, webhooks, feeds, publishing, keyring, metering }

const DOMAINS = Object.keys(STEPS) as ReadonlyArray<Domain>

/** The domains that have tables only in services that embed a single domain. */
const EMBEDDED: ReadonlyArray<Domain> = ["publishing", "keyring", "metering"]

/** The domains of the platform. */
export const PLATFORM = DOMAINS.filter((domain) => !EMBEDDED.includes(domain))

/** The table of the steps that were run. */
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

/** The database was made by a version before the first release, and no migration leads on from its tables. Nothing was changed. */
export class DatabaseTooOld extends Data.TaggedError("DatabaseTooOld") {
  override readonly message =
    "The database was made by a version before the first release, whose tables are not carried over. Nothing was changed. " +
    "Give this release a new database, or under `npm start` another DATA_DIR, and keep the old one for as long as you need its rows"
}

/**
 * Why steps were not run: as above, or the database refused one. That step was rolled back; the steps before it stay, and the next
 * try goes on after them.
 */
export type MigrationFailed = DatabaseAhead | DatabaseTooOld | SqlError

interface AppliedStep {
  readonly domain: Domain
  readonly number: number
  /** Null where it was run by a version that kept none. */
  readonly digest: string | null
}

/** The steps that were run. `to_jsonb`, because the table of an earlier version may have no column `digest`. */
const appliedSteps = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly found: boolean }>`
    select to_regclass('agent_platform.platform_migration') is not null as found
  `
  if (row?.found !== true) return []
  return yield* sql<AppliedStep>`
    select domain, number, to_jsonb(step)->>'digest' as digest from agent_platform.platform_migration as step
    where run_at is not null order by domain, number
  `
})

/** How many steps of each domain were run. */
const latestOf = (applied: ReadonlyArray<AppliedStep>): ReadonlyMap<Domain, number> =>
  new Map(applied.map(({ domain, number }) => [domain, number]))

/** Whether the database ran another version of one of these steps: before the first release, first steps are edited in place. */
const hasOtherVersion = (applied: ReadonlyArray<AppliedStep>, steps: Steps): boolean =>
  applied.some(({ digest, domain, number }) => {
    const step = steps[domain]?.[number - 1]
    return step !== undefined && digest !== digestOf({ domain, number, step })
  })

/** Whether the tables of a version before the first release are here, by what it kept of its steps. */
const hasPrereleaseTables = SqlClient.SqlClient.use((sql) =>
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
 * Runs `act` in one process at a time; the others wait. For changes to a database that are no migrations. `act` may commit as it
 * goes: the lock is a session's, which takes a connection beside those that `act` needs.
 */
export const inTurn = <A, E, R>(act: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R | SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const session = yield* sql.reserve
    yield* holding((text) => session.execute(text, [], undefined), "hashtextextended('agent_platform.installation', 0)")
    return yield* act
  }).pipe(Effect.scoped)

/**
 * Makes the table of the steps that were run. A backfill under way has no `run_at`; `place` and `rows` say how far it has come. The lock
 * refuses a role that may only read the table, even where no step is left to run.
 */
const makeStepTable = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`create table if not exists ${MIGRATION_TABLE} (
    domain text not null,
    number integer not null,
    name text not null,
    digest text,
    run_at timestamptz default now(),
    place text,
    rows bigint not null default 0,
    primary key (domain, number)
  )`)
  yield* sql.unsafe(`lock table ${MIGRATION_TABLE} in share row exclusive mode`)
})

/** The steps of these domains that were not run, each with its number. */
const pendingSteps = (
  steps: Steps,
  domains: ReadonlyArray<Domain>,
  applied: ReadonlyMap<Domain, number>
): ReadonlyArray<NumberedStep> =>
  DOMAINS.filter((domain) => domain === "shared" || domains.includes(domain)).flatMap((domain) =>
    steps[domain]
      .map((step, index) => ({ domain, number: index + 1, step }))
      .filter(({ number }) => number > (applied.get(domain) ?? 0))
  )

/** The name of a step for people, as `runs_0002_add_priority`. */
export const nameOfStep = ({ domain, number, step }: NumberedStep): string =>
  `${domain}_${String(number).padStart(4, "0")}_${step.name}`

/** The steps that are to be run, in their order. Fails where the database is not one that these steps lead on from. */
export const pending = Effect.fnUntraced(function* (
  steps: Steps = STEPS,
  domains: ReadonlyArray<Domain> = PLATFORM
): Effect.fn.Return<ReadonlyArray<NumberedStep>, MigrationFailed, SqlClient.SqlClient> {
  const rows = yield* appliedSteps
  const applied = latestOf(rows)
  if (rows.length === 0 && (yield* hasPrereleaseTables)) return yield* new DatabaseTooOld()
  for (const domain of DOMAINS) {
    const [latest, known] = [applied.get(domain) ?? 0, steps[domain].length]
    if (latest > known) return yield* new DatabaseAhead({ domain, applied: latest, known })
  }
  if (hasOtherVersion(rows, steps)) return yield* new DatabaseTooOld()
  return pendingSteps(steps, domains, applied)
})

/**
 * Brings the tables of these domains up to date, one step a transaction, and returns the names of the steps that it ran. A reference
 * between two domains is made once both have tables. Apps go on meanwhile: a step that finds its tables in use gives
 * way and tries again, for as long as `MigrationWaitSeconds` says. Any number of processes may do so at once: one works, the others
 * wait and find nothing left to do. A migration that broke off is continued by the next. See `docs/operations.md#upgrades`.
 */
export const migrateDomains = (
  domains: ReadonlyArray<Domain>,
  steps: Steps = STEPS
): Effect.Effect<ReadonlyArray<string>, MigrationFailed, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const todo = yield* pending(steps, domains)
    yield* patiently(inStep(makeStepTable))
    const run: Array<string> = []
    for (const one of todo) {
      const references = Effect.map(appliedSteps, (applied) =>
        one.number === 1 ? referencesWith(one.domain, new Set(latestOf(applied).keys())) : []
      )
      if (!(yield* runStep(one, references))) continue
      run.push(nameOfStep(one))
      if (one.number > 1) yield* Effect.logInfo(`Ran ${nameOfStep(one)}`)
    }
    return run
  })

/** The tables of the platform. */
export const migrate = migrateDomains(PLATFORM)

/**
 * How the database's schema compares with the steps of this code. Only `current` is ready; `ahead` is what the old processes see while a
 * later release is rolled out.
 */
export type SchemaState = "current" | "pending" | "ahead" | "unreachable"

/**
 * Asks the database once. Never fails: a database that cannot be asked is `unreachable`, and one in which this role may not read
 * is `pending`, since migrations grant access.
 */
export const schemaState: Effect.Effect<SchemaState, never, SqlClient.SqlClient> = appliedSteps.pipe(
  Effect.map((applied): SchemaState => {
    const latest = latestOf(applied)
    const missing = PLATFORM.map((domain) => STEPS[domain].length - (latest.get(domain) ?? 0))
    // Tables of another making are not ready, either; `migrate` says why.
    const isPending = missing.some((steps) => steps > 0) || hasOtherVersion(applied, STEPS)
    return isPending ? "pending" : missing.some((steps) => steps < 0) ? "ahead" : "current"
  }),
  Effect.catch(({ reason }) =>
    Effect.succeed<SchemaState>(reason._tag === "AuthorizationError" ? "pending" : "unreachable")
  ),
  Effect.catchCause(() => Effect.succeed<SchemaState>("unreachable"))
)
