import { Effect, type Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import { type DatabaseState, databaseState } from "./databaseState.ts"
import { reasonOf } from "./hosts.ts"
import { type DatabasePooled, requireSessions } from "./pooling.ts"

/** How often a process that waits for its schema looks again. */
const LOOK_SECONDS = 1

const WAITS: Readonly<Record<Extract<DatabaseState, "pending" | "read_only">, string>> = {
  pending: "Waiting for migrations: run them with 'npm run admin -- migrate'",
  read_only: "Waiting for a database that takes writes: this is a standby, or default_transaction_read_only is on"
}

const UNREACHABLE = "Waiting for the database, which cannot be reached"

/**
 * Waits until the database can be reached and written to and its schema is at least this release's, saying why it waits. A
 * schema of a later release is enough: releases that follow each other run side by side. Fails where a pooler gives sessions
 * to others.
 */
export const awaitSchema = Effect.fnUntraced(function* (
  url: Redacted.Redacted
): Effect.fn.Return<void, DatabasePooled, SqlClient.SqlClient> {
  let logged = ""
  while (true) {
    // First of all: over a pooler that gives sessions to others, other statements fail as if the database were away.
    const failure = yield* requireSessions(url).pipe(
      Effect.as(undefined),
      Effect.catchTag("SqlError", (error) => Effect.succeed(reasonOf(error)))
    )
    const state = yield* databaseState
    if (failure === undefined && state === "current") return
    if (failure === undefined && state === "ahead") {
      return yield* Effect.logWarning("The database belongs to a later release than this one")
    }
    const why =
      state === "pending" || state === "read_only"
        ? WAITS[state]
        : failure === undefined
          ? UNREACHABLE
          : `${UNREACHABLE}: ${failure}`
    if (logged !== why) yield* Effect.logWarning(why)
    logged = why
    yield* Effect.sleep(`${LOOK_SECONDS} seconds`)
  }
})
