/** Judges what is known of the database. */
import { type DatabaseFacts, POSTGRES_VERSION_MIN, type SchemaState } from "@agent-platform/postgres"
import { DateTime } from "effect"
import { type Finding, found, ok, spanOf } from "./Finding.ts"

/** The age at which a transaction is a finding: it holds back the stream of events and the clearing of old rows. */
const OLD_TRANSACTION_SECONDS = 300

/** Seconds by which two clocks may differ before that is a warning, and before it is a problem: expiries are judged wrongly. */
const SKEW_SECONDS_MAX = 2
const SKEW_SECONDS_BAD = 30

/** Connections of a deployment with one process of each kind, beside the pools of API and worker. */
const CONNECTIONS_BESIDE_POOLS = 10

/** The findings about sessions: whether each is ours for as long as we have it. */
export const poolerFinding: Finding = found(
  "problem",
  "database.sessions",
  "The database is reached through a pooler that gives sessions to others between transactions",
  "Name Postgres itself in DATABASE_URL, or a pooler in session mode (PgBouncer: pool_mode=session)."
)
export const sessionsFinding: Finding = ok("database.sessions", "Sessions are ours for as long as we have them")

const versionFinding = ({ version, versionNumber }: DatabaseFacts): Finding =>
  versionNumber >= POSTGRES_VERSION_MIN
    ? ok("database.version", `Postgres ${version}`)
    : found("problem", "database.version", `Postgres ${version} is older than 14`, "Upgrade to Postgres 14 or later.")

const writableFinding = ({ isReadOnly }: DatabaseFacts): Finding =>
  isReadOnly
    ? found(
        "problem",
        "database.writable",
        "The database takes no writes: it is a standby, or its transactions are read-only",
        "Point DATABASE_URL at the primary, or turn default_transaction_read_only off."
      )
    : ok("database.writable", "The database takes writes")

const durabilityFinding = ({ isDurable }: DatabaseFacts): Finding =>
  isDurable
    ? ok("database.durability", "A commit survives a crash")
    : found(
        "warning",
        "database.durability",
        "fsync or synchronous_commit is off: runs and events that were accepted can be lost in a crash",
        "Turn both on, unless what is lost does not matter."
      )

const connectionFindings = (facts: DatabaseFacts, poolMax: number): ReadonlyArray<Finding> => {
  const { connections, connectionsMax } = facts
  const needed = 2 * poolMax + CONNECTIONS_BESIDE_POOLS
  const inUse =
    connections >= 0.8 * connectionsMax
      ? found(
          "warning",
          "database.connections",
          `${connections} of ${connectionsMax} connections are in use`,
          "Raise max_connections, or lower DATABASE_POOL_MAX or the number of processes, before new ones are refused."
        )
      : ok("database.connections", `${connections} of ${connectionsMax} connections are in use`)
  const pools =
    needed > connectionsMax
      ? found(
          "problem",
          "database.pools",
          `One API, one worker and one scheduler with DATABASE_POOL_MAX=${poolMax} open up to ${needed} connections, and the server allows ${connectionsMax}`,
          "Raise max_connections or lower DATABASE_POOL_MAX."
        )
      : ok(
          "database.pools",
          `One process of each kind opens up to ${needed} connections, of which the server allows ${connectionsMax}`
        )
  return [inUse, pools]
}

const transactionFindings = ({ oldestTransaction, preparedTransactions }: DatabaseFacts): ReadonlyArray<Finding> => [
  oldestTransaction !== null && oldestTransaction.seconds > OLD_TRANSACTION_SECONDS
    ? found(
        "warning",
        "database.transactions",
        `A transaction of ${oldestTransaction.application} has been open for ${spanOf(oldestTransaction.seconds)}`,
        "End it (pg_stat_activity, pg_terminate_backend): the stream of events waits for it, and old rows are not cleared away."
      )
    : ok("database.transactions", "No transaction has been open for long"),
  ...(preparedTransactions > 0
    ? [
        found(
          "warning",
          "database.prepared_transactions",
          `${preparedTransactions} prepared transactions were left open`,
          "Commit them or roll them back (pg_prepared_xacts): they hold locks and old rows."
        )
      ]
    : [])
]

const roleFinding = ({ role }: DatabaseFacts): Finding => {
  const { creates, isOwner, name } = role
  if (isOwner) {
    return found(
      "warning",
      "database.role",
      `The apps connect as ${name}, which owns tables: one that is taken over can change and drop them`,
      "Give the apps a role of their own in DATABASE_URL, and run 'admin migrate' with the owner's in DATABASE_OWNER_URL."
    )
  }
  return creates.length > 0
    ? found(
        "warning",
        "database.role",
        `The apps connect as ${name}, which may create ${creates.join(", ")}`,
        "Run 'admin migrate' as the owner of the database, which before Postgres 15 must be made the owner of the schema public, too."
      )
    : ok("database.role", `The apps connect as ${name}, which owns and creates nothing`)
}

/**
 * The finding about the clocks. `databaseNow` was read from the database between `before` and `after`, which are this machine's, so the
 * clocks agree if it lies between them.
 */
export const clockFinding = (databaseNow: DateTime.Utc, before: DateTime.Utc, after: DateTime.Utc): Finding => {
  const [asked, answered] = [DateTime.toEpochMillis(before), DateTime.toEpochMillis(after)]
  const millis = DateTime.toEpochMillis(databaseNow)
  const skew = Math.max(0, asked - millis, millis - answered) / 1_000
  if (skew <= SKEW_SECONDS_MAX) return ok("clock.skew", "The clocks of this machine and the database agree")
  return found(
    skew > SKEW_SECONDS_BAD ? "problem" : "warning",
    "clock.skew",
    `The clocks of this machine and of the database differ by ${spanOf(skew)}`,
    "Set both by NTP: keys and sessions expire by the one, leases by the other."
  )
}

/** The finding about the schema. */
export const schemaFinding = (state: SchemaState): Finding => {
  if (state === "current") return ok("database.schema", "The schema is this release's")
  return state === "ahead"
    ? found(
        "warning",
        "database.schema",
        "The schema is of a later release than this program",
        "Run the program of that release."
      )
    : found("problem", "database.schema", `The schema is ${state}`, "Run 'admin migrate'.")
}

/** Findings about the database. */
export const databaseFindings = (facts: DatabaseFacts, poolMax: number): ReadonlyArray<Finding> => [
  versionFinding(facts),
  writableFinding(facts),
  durabilityFinding(facts),
  roleFinding(facts),
  ...connectionFindings(facts, poolMax),
  ...transactionFindings(facts)
]
