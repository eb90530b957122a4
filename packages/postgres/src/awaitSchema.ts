import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { schemaState } from "./Migrations.ts"

/** How often a process that waits for its schema looks again. */
const LOOK_SECONDS = 1

/**
 * Waits until the database can be reached and its schema is at least this release's, saying why it waits. A schema of a
 * later release is enough: releases that follow each other run side by side.
 */
export const awaitSchema: Effect.Effect<void, never, SqlClient.SqlClient> = Effect.gen(function* () {
  let logged = ""
  while (true) {
    const state = yield* schemaState
    if (state === "current") return
    if (state === "ahead") {
      return yield* Effect.logWarning("The database belongs to a later release than this one")
    }
    if (logged !== state) {
      yield* Effect.logWarning(
        state === "pending"
          ? "Waiting for migrations: run them with 'npm run admin -- migrate'"
          : "Waiting for the database, which cannot be reached"
      )
    }
    logged = state
    yield* Effect.sleep(`${LOOK_SECONDS} seconds`)
  }
})
