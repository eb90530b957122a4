import { install, queueSchema } from "@agent-platform/pg-boss"
import { JOB_KINDS } from "@agent-platform/platform"
import { inTurn, layerClient, MigrationWaitSeconds, migrateFor, separateRole, TIMEOUTS } from "@agent-platform/postgres"
import { CommandFailed, CommandRefused, settings } from "@agent-platform/process"
import { parseDatabaseUrl } from "@agent-platform/toolkit"
import { Effect, Predicate, Redacted, Result } from "effect"
import { checkDatabase } from "./checkDatabase.ts"
import { databaseOwnerUrl } from "./config.ts"

const inUse = (seconds: number) =>
  `A table that is to be changed was in use for ${seconds} s. The steps before stay, and nothing else was changed: try again`

/** Postgres's `insufficient_privilege`. */
const DENIED = "42501"

/** Whether Postgres refused what was asked because the role may not do it, whatever the error is wrapped in. */
const isDenied = (error: unknown): boolean =>
  (Predicate.hasProperty(error, "code") && error.code === DENIED) ||
  (Predicate.hasProperty(error, "cause") && isDenied(error.cause))

const roleOf = (url: Redacted.Redacted): string =>
  Result.match(parseDatabaseUrl(Redacted.value(url)), { onSuccess: ({ user }) => user ?? "", onFailure: () => "" })

const notOwner = (url: Redacted.Redacted) =>
  new CommandRefused({
    message: `The role '${roleOf(url)}' may not migrate this database: set DATABASE_OWNER_URL to its URL with the role that owns it and its tables`
  })

/** The role of the apps, where it differs from the owner of their tables. */
const appRole = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const role = roleOf(url)
  if (role === "")
    return yield* new CommandRefused({ message: "DATABASE_URL must name the role that the apps connect as" })
  return yield* separateRole(role)
})

/**
 * Brings the database up to date by the role that owns its tables: the queue's schema and then ours, with what the role of the
 * apps needs, so that a database whose migrations are current is ready. Returns the migrations that were run. Any number of
 * processes may do so at once. Refused before anything changes if the role of the apps does not exist, and refused if the role of
 * `ownerUrl` may not migrate.
 */
export const migrateDatabase = (url: Redacted.Redacted, ownerUrl: Redacted.Redacted = url) =>
  Effect.gen(function* () {
    yield* checkDatabase(ownerUrl, ownerUrl === url ? settings.databaseUrl : databaseOwnerUrl)
    const role = ownerUrl === url ? undefined : yield* appRole(url)
    // In turn with other processes: grants on the queue's schema fail while another process makes its tables.
    return yield* inTurn(Effect.andThen(install({ url: ownerUrl }, JOB_KINDS), migrateFor(role, yield* queueSchema)))
  }).pipe(
    Effect.catchTag(
      ["RoleMissing", "DatabaseAhead", "DatabaseTooOld"],
      ({ message }) => new CommandRefused({ message })
    ),
    Effect.catchTag("SqlError", (error) =>
      Effect.gen(function* () {
        const isInUse = error.reason._tag === "LockTimeoutError" || error.reason._tag === "DeadlockError"
        return yield* isInUse ? new CommandFailed({ message: inUse(yield* MigrationWaitSeconds) }) : Effect.fail(error)
      })
    ),
    Effect.catchIf(isDenied, () => Effect.fail(notOwner(ownerUrl))),
    Effect.provide(
      layerClient({
        url: ownerUrl,
        // One holds the lock that lets migrations take turns, the other migrates.
        maxConnections: 2,
        applicationName: "agent-platform-admin",
        timeouts: TIMEOUTS.migrations
      })
    )
  )
