/** The schema: one list of steps, each run once and in order. */
import { Data, Effect } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { identity } from "./migrations/0001_identity.ts"
import { runs } from "./migrations/0002_runs.ts"
import { webhooks } from "./migrations/0003_webhooks.ts"
import { feeds } from "./migrations/0004_feeds.ts"
import { tenancy } from "./migrations/0005_tenancy.ts"
import { apiKeys } from "./migrations/0006_api_keys.ts"
import { logins } from "./migrations/0007_logins.ts"
import { providerKeys } from "./migrations/0008_provider_keys.ts"
import { runQueue } from "./migrations/0009_run_queue.ts"
import { agents } from "./migrations/0010_agents.ts"
import { deliveries } from "./migrations/0011_deliveries.ts"
import { webhookLifecycle } from "./migrations/0012_webhook_lifecycle.ts"
import { webhookWalls } from "./migrations/0013_webhook_walls.ts"
import { billing } from "./migrations/0014_billing.ts"
import { analytics } from "./migrations/0015_analytics.ts"
import { feedsReading } from "./migrations/0016_feeds_reading.ts"
import { adminJobs } from "./migrations/0017_admin_jobs.ts"
import { runCheckpoints } from "./migrations/0018_run_checkpoints.ts"
import { edge } from "./migrations/0019_edge.ts"
import { eventTraces } from "./migrations/0020_event_traces.ts"
import { firstAttempts } from "./migrations/0021_first_attempts.ts"
import { eventOutbox } from "./migrations/0022_event_outbox.ts"
import { runTurns } from "./migrations/0023_run_turns.ts"
import { credentials } from "./migrations/0024_credentials.ts"
import { monthFunctions } from "./migrations/0025_month_functions.ts"
import { activityAudit } from "./migrations/0026_activity_audit.ts"
import { quotas } from "./migrations/0027_quotas.ts"

/**
 * Every step by number and name. Numbers follow on each other without a gap: a step whose number is not above all that were
 * run is skipped in silence. A released step is never edited.
 */
const steps: Readonly<Record<string, Effect.Effect<void, SqlError, SqlClient.SqlClient>>> = {
  "0001_identity": identity,
  "0002_runs": runs,
  "0003_webhooks": webhooks,
  "0004_feeds": feeds,
  "0005_tenancy": tenancy,
  "0006_api_keys": apiKeys,
  "0007_logins": logins,
  "0008_provider_keys": providerKeys,
  "0009_run_queue": runQueue,
  "0010_agents": agents,
  "0011_deliveries": deliveries,
  "0012_webhook_lifecycle": webhookLifecycle,
  "0013_webhook_walls": webhookWalls,
  "0014_billing": billing,
  "0015_analytics": analytics,
  "0016_feeds_reading": feedsReading,
  "0017_admin_jobs": adminJobs,
  "0018_run_checkpoints": runCheckpoints,
  "0019_edge": edge,
  "0020_event_traces": eventTraces,
  "0021_first_attempts": firstAttempts,
  "0022_event_outbox": eventOutbox,
  "0023_run_turns": runTurns,
  "0024_credentials": credentials,
  "0025_month_functions": monthFunctions,
  "0026_activity_audit": activityAudit,
  "0027_quotas": quotas
}

/** How long a step waits for a table: behind one that waits, everybody waits. */
export const LOCK_SECONDS = 10

/** Where the steps that were run are kept. */
const TABLE = "migration"

const numberOf = (step: string) => Number(step.slice(0, 4))

const latestKnown = Math.max(...Object.keys(steps).map(numberOf))

/** The database has steps that this code does not know: it belongs to a later release. Nothing was changed. */
export class DatabaseAhead extends Data.TaggedError("DatabaseAhead")<{
  readonly latestApplied: number
  readonly latestKnown: number
}> {
  override get message() {
    return (
      `The database is at migration ${this.latestApplied}, but this release knows only ${this.latestKnown}. ` +
      "Run a release that is at least as new as the database"
    )
  }
}

/** A step failed, or the database refused; all pending steps were rolled back together. */
export type MigrationFailed = Migrator.MigrationError | SqlError

const latestApplied = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly found: boolean }>`select to_regclass(${TABLE}) is not null as found`
  if (tables[0]?.found !== true) return 0
  const rows = yield* sql<{ readonly latest: number | null }>`select max(migration_id) as latest from ${sql(TABLE)}`
  return rows[0]?.latest ?? 0
})

/** Does in a transaction what only one process at a time may do to a database's schema; the others wait. */
export const inTurn = <A, E, R>(act: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R | SqlClient.SqlClient> =>
  SqlClient.SqlClient.use((sql) =>
    sql.withTransaction(
      Effect.andThen(sql`select pg_advisory_xact_lock(hashtextextended('agent_platform.migration', 0))`, act)
    )
  )

/**
 * Brings the schema up to date in one transaction and answers the steps run, of which there may be none. Any number of
 * processes may do so at once: one works, the others wait and find nothing left to do. Fails where a table is held by others
 * for longer than `LOCK_SECONDS`, and has changed nothing then.
 */
export const migrate: Effect.Effect<
  ReadonlyArray<string>,
  DatabaseAhead | MigrationFailed,
  SqlClient.SqlClient
> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* inTurn(
    Effect.gen(function* () {
      yield* sql.unsafe(`set local lock_timeout = '${LOCK_SECONDS}s'`)
      const latest = yield* latestApplied
      if (latest > latestKnown) return yield* new DatabaseAhead({ latestApplied: latest, latestKnown })
      const run = yield* Migrator.make({})({ loader: Migrator.fromRecord(steps), table: TABLE })
      return run.map(([number, name]) => `${String(number).padStart(4, "0")}_${name}`)
    })
  )
})

/**
 * How the database's schema stands to this code. Only `current` is ready; `ahead` is what the old processes see while a
 * later release is rolled out.
 */
export type SchemaState = "current" | "pending" | "ahead" | "unreachable"

/**
 * Asks the database once. Never fails: a database that cannot be asked is `unreachable`, and one in which this role may read
 * nothing waits for the migrations that grant it.
 */
export const schemaState: Effect.Effect<SchemaState, never, SqlClient.SqlClient> = latestApplied.pipe(
  Effect.map(
    (latest): SchemaState => (latest === latestKnown ? "current" : latest < latestKnown ? "pending" : "ahead")
  ),
  Effect.catch(({ reason }) =>
    Effect.succeed<SchemaState>(reason._tag === "AuthorizationError" ? "pending" : "unreachable")
  ),
  Effect.catchCause(() => Effect.succeed<SchemaState>("unreachable"))
)
