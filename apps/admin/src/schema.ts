import { install, QUEUE_SCHEMA } from "@agent-platform/pg-boss"
import { JOB_KINDS } from "@agent-platform/platform"
import {
  inTurn,
  layerClient,
  MIGRATION_LOCK_SECONDS,
  migrateFor,
  separateRole,
  TIMEOUTS
} from "@agent-platform/postgres"
import { CommandFailed, CommandRefused } from "@agent-platform/process"
import { Effect, Redacted } from "effect"
import { reached } from "./reached.ts"

const IN_USE = `A table that is to be changed was in use for ${MIGRATION_LOCK_SECONDS} s. Nothing was changed: try again`

/** The role that the apps connect as, where it is not the one that owns their tables. */
const appRole = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const role = decodeURIComponent(new URL(Redacted.value(url)).username)
  if (role === "")
    return yield* new CommandRefused({ message: "DATABASE_URL must name the role that the apps connect as" })
  return yield* separateRole(role)
})

/**
 * Brings the database up to date by the role that owns its tables: the queue's schema and then ours, with what the role of the
 * apps needs, so that a database whose migrations are current is ready. Answers the migrations that were run. Any number of
 * processes may do so at once. Changes nothing where the role of the apps does not exist.
 */
export const bringUpToDate = (url: Redacted.Redacted, ownerUrl: Redacted.Redacted = url) =>
  Effect.gen(function* () {
    yield* reached
    const role = ownerUrl === url ? undefined : yield* appRole(url)
    // Granting what another process is just making of the queue's schema would fail for both.
    return yield* inTurn(Effect.andThen(install({ url: ownerUrl }, JOB_KINDS), migrateFor(role, QUEUE_SCHEMA)))
  }).pipe(
    Effect.catchTag("RoleMissing", ({ message }) => new CommandRefused({ message })),
    Effect.catchTag("SqlError", (error) =>
      Effect.fail(error.reason._tag === "LockTimeoutError" ? new CommandFailed({ message: IN_USE }) : error)
    ),
    Effect.provide(
      layerClient({
        url: ownerUrl,
        maxConnections: 2,
        applicationName: "agent-platform-admin",
        timeouts: TIMEOUTS.migrations
      })
    )
  )
